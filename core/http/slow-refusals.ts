import { setTimeout as sleep } from 'node:timers/promises'
import type Koa from 'koa'
import type { RequestState } from './request-state.ts'

/** Refusals of one caller per second that are answered at once. */
const maxPerSecond = 30
const delayMs = 1_000
/** Refusals that are delayed at a time. More than this many are answered at once again, so that memory is bounded. */
const maxDelayed = 2_000

/**
 * Answers refusals (401, 403 and 429) of a caller late if there are many of them. A client that repeats refused requests
 * without a pause would otherwise use up the processor: a refusal costs little, so thousands fit into a second.
 */
export function slowRefusals(
  callerOf: (koa: Koa.ParameterizedContext<RequestState>) => string,
): Koa.Middleware<RequestState> {
  let second = 0
  let delayed = 0
  const refused = new Map<string, number>()
  return async (koa, next) => {
    await next()
    if (koa.status !== 401 && koa.status !== 403 && koa.status !== 429) return
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) {
      second = now
      refused.clear()
    }
    const caller = callerOf(koa)
    const count = (refused.get(caller) ?? 0) + 1
    refused.set(caller, count)
    if (count <= maxPerSecond || delayed >= maxDelayed) return
    delayed++
    // Disconnecting ends the delay.
    await sleep(delayMs, undefined, { signal: koa.state.signal }).catch(() => {})
    delayed--
  }
}
