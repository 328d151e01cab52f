import { procedureHint, rateLimited, unavailable } from '../base/errors.ts'

export interface OpenStreams {
  /**
   * Takes a slot until it is disposed.
   *
   * @throws AppError 429 at the limit of the caller; 503 at the limit of the process
   */
  take(userId: string): Disposable
}

/** Limits the number of open event streams, because each one holds a connection of the server. */
export function createOpenStreams({ maxPerUser, max }: { maxPerUser: number; max: number }): OpenStreams {
  const held = new Map<string, number>()
  let total = 0
  return {
    take(userId) {
      const own = held.get(userId) ?? 0
      if (own >= maxPerUser) {
        throw rateLimited(`You have ${own} open event streams, which is the maximum. Close one of them.`, 10)
      }
      if (total >= max) {
        throw unavailable(
          'Too many event streams are open. Try again in a minute, or poll testRuns.get instead.',
          60,
          procedureHint('testRuns.get'),
        )
      }
      held.set(userId, own + 1)
      total++
      let open = true
      return {
        [Symbol.dispose]() {
          if (!open) return
          open = false
          total--
          const left = (held.get(userId) ?? 1) - 1
          if (left > 0) held.set(userId, left)
          else held.delete(userId)
        },
      }
    },
  }
}
