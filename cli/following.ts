import { setTimeout as sleep } from 'node:timers/promises'
import { coreFailure } from '../client/core-client.ts'
import type { Output } from './output.ts'

/** Also the interval of progress lines in a CI log. Core allows waits of up to 45 s. */
const unwatchedWaitSeconds = 10

/**
 * Returns how long core may hold the next status call. A user at a terminal sees progress every few seconds at first; a
 * token has 1,000 calls an hour, which other programs share.
 */
export function waitSeconds(startedAt: number, isWatched: boolean, now = Date.now()): number {
  if (!isWatched) return unwatchedWaitSeconds
  return now - startedAt < 60_000 ? 2 : 10
}

/** A server that restarts answers again within this time. */
const giveUpAfterMs = 120_000
const retryDelayMs = 2_000

interface Patience {
  out: Pick<Output, 'milestone'>
  signal: AbortSignal
}

/** Makes a call that reads a status. Repeats it while the server does not answer, because the work there continues. */
export async function askPatiently<T>(ask: () => Promise<T>, { out, signal }: Patience): Promise<T> {
  const startedAt = Date.now()
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const failure = coreFailure(error)
      const isAway =
        failure?.kind === 'unreachable' || (failure?.kind === 'refused' && failure.code === 'SERVICE_UNAVAILABLE')
      if (!isAway || Date.now() - startedAt > giveUpAfterMs) throw error
      out.milestone('The server does not answer. Retrying …')
      await sleep(retryDelayMs, undefined, { signal })
    }
  }
}
