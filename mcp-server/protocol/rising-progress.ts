import type { Progress } from '../../client/progress.ts'

/**
 * Returns a function that makes progress rise, as MCP requires. Where a phase comes again, such as a second round of runs,
 * the number rises by a small part of what is left, so that the client still hears of it. Returns null without news.
 */
export function risingProgress(): (progress: Progress) => Progress | null {
  let last: Progress | undefined
  return (progress) => {
    const { done, total, message } = progress
    const isRising = last === undefined || done > last.done
    if (!isRising && message === last?.message) return null
    const from = last?.done ?? 0
    last = isRising ? progress : { ...progress, done: from + Math.max(0, total - from) / 20 }
    return last.done > from || isRising ? last : null
  }
}
