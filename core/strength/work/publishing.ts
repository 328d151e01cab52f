import { setTimeout as delay } from 'node:timers/promises'
import type { StrengthEvidence } from '../../../engines/strength/schema.ts'
import type { Context } from '../../base/context.ts'
import { withRetry } from '../../base/retry.ts'
import { MeasurementEntity, type MeasurementRow } from '../entity.ts'

const publishMs = 2_000
const storeMs = 10_000

/** What a measurement publishes while it runs. */
export interface Publishing {
  result: () => Promise<StrengthEvidence>
  /** Stores results for later measurements. */
  store: () => Promise<void>
}

/** Publishes what a measurement has found, again and again until it is disposed of. */
export function publishRegularly(
  ctx: Context,
  { id, attempt }: MeasurementRow,
  { result, store }: Publishing,
): AsyncDisposable {
  let storedAt = performance.now()
  let known = ''
  return repeatedly(publishMs, async () => {
    const evidence = await result()
    const { durationMs: _, ...found } = evidence
    const news = JSON.stringify(found)
    if (news !== known) {
      const records = ctx.db.getRepository(MeasurementEntity)
      await withRetry(() => records.update({ id, attempt, status: 'running' }, { verdict: 'partial', evidence }))
      known = news
    }
    if (performance.now() - storedAt < storeMs) return
    await store()
    storedAt = performance.now()
  })
}

/** Calls `work` again and again, until it is disposed of. */
function repeatedly(milliseconds: number, work: () => Promise<void>): AsyncDisposable {
  const stop = new AbortController()
  const working = (async () => {
    while (!stop.signal.aborted) {
      await delay(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined)
      if (!stop.signal.aborted) await work()
    }
  })()
  // A failure appears at the end.
  working.catch(() => undefined)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await working
    },
  }
}
