import type { SuggestTestsResult } from '../../core/suggestions/schema.ts'

const keptMs = 10 * 60_000
const maxKept = 100

/**
 * Keeps recent suggestions, so that later pages show the same suggestions and do not call the AI provider again. Losing
 * them costs one such call.
 */
export interface RecentSuggestions {
  find: (key: string) => Kept | undefined
  keep: (key: string, kept: Kept) => void
}

interface Kept {
  /** Undefined for a checkout that no project has. */
  projectId: string | undefined
  result: SuggestTestsResult
}

export function createRecentSuggestions(now: () => number = Date.now): RecentSuggestions {
  const kept = new Map<string, { what: Kept; until: number }>()
  return {
    find: (key) => {
      const entry = kept.get(key)
      return entry && entry.until > now() ? entry.what : undefined
    },
    keep: (key, what) => {
      kept.delete(key)
      kept.set(key, { what, until: now() + keptMs })
      for (const [oldest, { until }] of kept) {
        if (until > now() && kept.size <= maxKept) break
        kept.delete(oldest)
      }
    },
  }
}
