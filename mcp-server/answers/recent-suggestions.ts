import type { SuggestTestsResult } from '../../core/suggestions/schema.ts'

const keptMs = 10 * 60_000
const mostKept = 100

/**
 * Suggestions that were just made, so that their later pages are the same suggestions and cost no second question to
 * the AI provider. Losing them costs just that question.
 */
export interface RecentSuggestions {
  find: (key: string) => Kept | undefined
  keep: (key: string, kept: Kept) => void
}

interface Kept {
  projectId: string
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
        if (until > now() && kept.size <= mostKept) break
        kept.delete(oldest)
      }
    },
  }
}
