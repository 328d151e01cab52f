import type { TaskWork } from '../../engines/processes/tasks.ts'
import { AnalysisResult } from '../../engines/analysis/schema.ts'
import { fitToBudget } from '../ai/budget.ts'
import { boundDetails } from './bound-details.ts'

export type GivenAnalysis = { analysis: string } | { issues: Issue[]; more: number }

/** Receives an analysis as JSON text, and returns it as JSON text of limited size. */
export type GivenWork = TaskWork<Uint8Array, GivenAnalysis>

/** More than the AI service gets, because the caller's process omits some candidates. */
const maxBytes = 1_572_864
const maxCandidates = 1_000
const maxIssues = 10

/** The lists are validated in parts, because describing each error of a large one takes minutes. */
const lists = ['files', 'directories', 'testCandidates', 'warnings'] as const
const partLength = 1_000

/** The task of `readGivenAnalysis`. */
const work: GivenWork = (bytes) => {
  const given: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
  const issues = issuesOf(given)
  if (issues.length > 0) return { issues: issues.slice(0, maxIssues), more: Math.max(0, issues.length - maxIssues) }
  const analysis = JSON.stringify(fitToBudget(boundDetails(AnalysisResult.parse(given)), maxBytes, maxCandidates))
  if (Buffer.byteLength(analysis) <= maxBytes) return { analysis }
  const message = `has more than ${maxBytes} bytes without its files and directories`
  return { issues: [{ path: [], message }], more: 0 }
}

export default work

interface Issue {
  path: (string | number)[]
  message: string
}

/** Returns the issues of the first part that has any. */
function issuesOf(given: unknown): Issue[] {
  const whole = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  const long = lists.flatMap((name) => {
    const list = whole[name]
    return Array.isArray(list) && list.length > partLength ? [{ name, list: list as unknown[] }] : []
  })
  const beginnings = long.map(({ name, list }) => [name, list.slice(0, partLength)])
  const beginning = AnalysisResult.safeParse(
    beginnings.length > 0 ? { ...whole, ...Object.fromEntries(beginnings) } : given,
  )
  if (!beginning.success) return shown(beginning.error.issues, (path) => path)
  for (const { name, list } of long) {
    for (let start = partLength; start < list.length; start += partLength) {
      const part = AnalysisResult.shape[name].safeParse(list.slice(start, start + partLength))
      if (!part.success) return shown(part.error.issues, ([at, ...rest]) => [name, start + Number(at), ...rest])
    }
  }
  return []
}

const shown = (
  issues: readonly { path: PropertyKey[]; message: string }[],
  placeOf: (path: (string | number)[]) => (string | number)[],
): Issue[] =>
  issues.map(({ path, message }) => ({
    path: placeOf(path.map((part) => (typeof part === 'symbol' ? String(part) : part))),
    message,
  }))
