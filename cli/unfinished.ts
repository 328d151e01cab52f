import { type CoreClient, isRefusal } from '../client/core-client.ts'
import type { QueueCounts } from '../core/system/schema.ts'
import { counted } from './words.ts'

const kinds = ['verifications', 'changes', 'measurements'] as const

/** The work on a project that is no run. */
export type Unfinished = Record<(typeof kinds)[number], Pick<QueueCounts, 'waiting' | 'running'>>

const nouns: Record<keyof Unfinished, string> = {
  verifications: 'verification',
  changes: 'verification of a change',
  measurements: 'measurement of strength',
}

/** Counts the verifications and measurements of a project that wait or run. */
export async function countUnfinished(core: CoreClient, projectId: string): Promise<Unfinished> {
  const list: Record<keyof Unfinished, (status: 'pending' | 'running') => Promise<{ pagination: { total: number } }>> =
    {
      verifications: (status) => core.tests.listVerifications.query({ projectId, status, limit: 1 }),
      changes: (status) => core.changes.list.query({ projectId, status, limit: 1 }),
      measurements: (status) => core.strength.list.query({ projectId, status, limit: 1 }),
    }
  const counts = kinds.map(async (kind) => {
    const total = async (status: 'pending' | 'running') => {
      try {
        return (await list[kind](status)).pagination.total
      } catch (error) {
        // An older server has no such work.
        if (isRefusal(error, 'NOT_FOUND')) return 0
        throw error
      }
    }
    const [waiting, running] = await Promise.all([total('pending'), total('running')])
    return [kind, { waiting, running }]
  })
  return Object.fromEntries(await Promise.all(counts)) as Unfinished
}

/**
 * "Running or waiting on the server: 2 verifications (1 running, 1 waiting)", or without the states where nothing waits; null
 * if there is nothing.
 */
export function unfinishedInWords(unfinished: Unfinished): string | null {
  const isAllRunning = kinds.every((kind) => unfinished[kind].waiting === 0)
  const parts = kinds.flatMap((kind) => {
    const { waiting, running } = unfinished[kind]
    if (waiting + running === 0) return []
    const states = [running > 0 && `${running} running`, waiting > 0 && `${waiting} waiting`].filter(Boolean)
    return `${plural(waiting + running, nouns[kind])}${isAllRunning ? '' : ` (${states.join(', ')})`}`
  })
  if (parts.length === 0) return null
  return `${isAllRunning ? 'Running' : 'Running or waiting'} on the server: ${parts.join(', ')}`
}

const plural = (count: number, noun: string) => {
  const [word = '', ...rest] = noun.split(' ')
  return [counted(count, word), ...rest].join(' ')
}
