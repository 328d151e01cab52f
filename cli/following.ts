/** Also the interval of progress lines in a CI log. Core allows waits of up to 45 s. */
const unwatchedWaitSeconds = 30

/**
 * Returns how long core may hold the next status call. A user at a terminal sees progress every few seconds at first; a
 * token has 1,000 calls an hour, which other programs share.
 */
export function waitSeconds(startedAt: number, isWatched: boolean, now = Date.now()): number {
  if (!isWatched) return unwatchedWaitSeconds
  return now - startedAt < 60_000 ? 2 : 10
}
