import type { Outputs } from '../../api.ts'
import { plural } from '../../parts/number-text.ts'
import { formatDuration } from '../../parts/time-text.ts'

type Queues = Outputs['system']['status']['queues']

export interface QueueRow {
  name: string
  waiting: number
  running: number
  /** Null if nothing waits, or if the server does not say. */
  oldestWaitSeconds: number | null
  /** How many this deployment works on at a time; null where that is not known. */
  capacity: number | null
}

const names: Record<keyof NonNullable<Queues>, string> = {
  runs: 'Test runs',
  verifications: 'Verifications',
  changes: 'Changes',
  measurements: 'Strength',
  analyses: 'Analyses',
  deliveries: 'Webhook deliveries',
}

export function queueRows(queues: Queues): QueueRow[] {
  if (!queues) return []
  return (Object.keys(names) as (keyof typeof names)[]).map((key) => ({
    name: names[key],
    ...queues[key],
  }))
}

/** A queue whose oldest entry waits longer than this is short of capacity. */
const longWaitSeconds = 60

export function isShort({ waiting, running, oldestWaitSeconds, capacity }: QueueRow): boolean {
  if (waiting === 0) return false
  if (oldestWaitSeconds !== null) return oldestWaitSeconds >= longWaitSeconds
  return capacity === null ? waiting > running : running >= capacity
}

interface Answer {
  tone: 'good' | 'warn' | 'bad'
  status: string
  title: string
  text: string
}

/** Says in a sentence whether users wait for capacity. */
export function judgeCapacity(rows: readonly QueueRow[]): Answer {
  if (rows.length === 0) {
    return { tone: 'bad', status: 'error', title: 'Unknown.', text: 'The database does not answer.' }
  }
  const short = rows.filter(isShort)
  const waiting = rows.reduce((sum, row) => sum + row.waiting, 0)
  if (short.length === 0) {
    const text = waiting === 0 ? 'Nothing waits.' : `${plural(waiting, 'job')} will start in a moment.`
    return { tone: 'good', status: 'passed', title: 'Capacity is sufficient.', text }
  }
  const parts = short.map(({ name, waiting: count, oldestWaitSeconds }) => {
    const wait = oldestWaitSeconds === null ? '' : `, the oldest for ${formatDuration(oldestWaitSeconds * 1_000)}`
    return `${name}: ${count} waiting${wait}`
  })
  return {
    tone: 'warn',
    status: 'paused',
    title: 'Capacity is short.',
    text: `${parts.join('; ')}. Start more workers, or raise their number of slots.`,
  }
}
