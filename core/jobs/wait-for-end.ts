import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../base/context.ts'

/** Grows with the elapsed time, so that many waiting callers cost little and short work is noticed quickly. */
const pollInterval = (elapsed: number) => Math.min(1_000, 100 + elapsed / 50)

/** Returns the record as soon as it has ended, or when the time is up, the caller disconnects or the program stops. */
export async function waitForEnd<Row>(
  ctx: Pick<Context, 'signal' | 'stopping'>,
  milliseconds: number,
  load: () => Promise<Row>,
  hasEnded: (row: Row) => boolean,
): Promise<Row> {
  const startedAt = performance.now()
  for (;;) {
    const row = await load()
    const elapsed = performance.now() - startedAt
    const remaining = milliseconds - elapsed
    if (hasEnded(row) || remaining <= 0 || ctx.stopping.aborted) return row
    await sleep(Math.min(pollInterval(elapsed), remaining), undefined, { signal: ctx.signal })
  }
}
