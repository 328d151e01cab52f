import { procedureHint, rateLimited, unavailable } from '../base/errors.ts'

export interface OpenStreams {
  /**
   * Takes a place until it is disposed.
   *
   * @throws AppError 429 where the caller has as many as one may have; 503 where the process has
   */
  take(userId: string): Disposable
}

/** Bounds the answers that stay open: each looks at the database again and again. */
export function createOpenStreams({ ofCaller, inAll }: { ofCaller: number; inAll: number }): OpenStreams {
  const held = new Map<string, number>()
  let all = 0
  return {
    take(userId) {
      const own = held.get(userId) ?? 0
      if (own >= ofCaller) {
        throw rateLimited(`You have ${own} open event streams, which is the maximum. Close one of them.`, 10)
      }
      if (all >= inAll) {
        throw unavailable(
          'Too many event streams are open. Try again in a minute, or ask testRuns.get instead.',
          60,
          procedureHint('testRuns.get'),
        )
      }
      held.set(userId, own + 1)
      all++
      let open = true
      return {
        [Symbol.dispose]() {
          if (!open) return
          open = false
          all--
          const left = (held.get(userId) ?? 1) - 1
          if (left > 0) held.set(userId, left)
          else held.delete(userId)
        },
      }
    },
  }
}
