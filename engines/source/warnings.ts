import type { AnalysisWarning } from './schema.ts'

const shownPerCode = 20

/** Adds warnings to the list; of each kind only the first ones name a file, and one more counts the rest. */
export type WarningWriter = (code: AnalysisWarning['code'], message: string, path: string) => void

export function warningWriter(list: AnalysisWarning[]): WarningWriter {
  const counts = new Map<AnalysisWarning['code'], number>()
  const summaries = new Map<AnalysisWarning['code'], AnalysisWarning>()
  return (code, message, path) => {
    const count = (counts.get(code) ?? 0) + 1
    counts.set(code, count)
    if (count <= shownPerCode) {
      list.push({ code, message, path })
      return
    }
    const rest = `and ${count - shownPerCode} more files: ${message}`
    const summary = summaries.get(code)
    if (summary) {
      summary.message = rest
      return
    }
    const added = { code, message: rest }
    summaries.set(code, added)
    list.push(added)
  }
}
