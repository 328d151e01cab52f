import type { AnalysisResult, TestCandidate } from '../../engines/analysis/schema.ts'

const maxDetailed = 200
const maxListed = 50
const maxText = 1_000

/**
 * Cuts the texts and lists of candidates and of the testing to what an analysis of Assay has at most, and keeps the details
 * of the best candidates only. Suggestions need no findings.
 */
export function boundDetails({
  findings: _findings,
  moreFindings: _more,
  ...analysis
}: AnalysisResult): AnalysisResult {
  const { testCandidates, summary } = analysis
  return {
    ...analysis,
    summary: { ...summary, ...(summary.testing && { testing: short(summary.testing) }) },
    ...(testCandidates && {
      testCandidates: testCandidates.map((one, rank) => bounded(rank < maxDetailed ? one : bare(one))),
    }),
  }
}

const bare = ({
  cases: _cases,
  moreCases: _more,
  brief: _brief,
  uncovered: _uncovered,
  partialBranches: _partial,
  changed: _changed,
  changedSince: _since,
  nearestTests: _tests,
  reasons,
  ...candidate
}: TestCandidate): TestCandidate => ({ ...candidate, reasons: reasons.slice(0, 5) })

function bounded(candidate: TestCandidate): TestCandidate {
  const { path, symbol, cases = [], moreCases = 0 } = candidate
  const more = moreCases + Math.max(0, cases.length - maxListed)
  return { ...short(candidate), path, symbol, ...(more > 0 && { moreCases: more }) }
}

/** Shortens all texts and lists of plain data. */
function short<Data>(data: Data): Data {
  if (typeof data === 'string') return data.slice(0, maxText).toWellFormed() as Data
  if (Array.isArray(data)) return data.slice(0, maxListed).map(short) as Data
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, short(value)])) as Data
}
