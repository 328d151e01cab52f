import type { AnalysisResult, TestCandidate } from '../../engines/analysis/schema.ts'

const maxDetailed = 200
const maxCases = 50
const maxListed = 50
const maxText = 1_000

/** Cuts the details of candidates to what an analysis of Assay has at most, and keeps them for the best candidates only. */
export function boundDetails(analysis: AnalysisResult): AnalysisResult {
  const { testCandidates } = analysis
  if (!testCandidates) return analysis
  return {
    ...analysis,
    testCandidates: testCandidates.map((one, rank) => (rank < maxDetailed ? bounded(one) : bare(one))),
  }
}

const bare = ({ cases: _cases, moreCases: _more, brief: _brief, ...candidate }: TestCandidate): TestCandidate =>
  candidate

function bounded(candidate: TestCandidate): TestCandidate {
  const { cases, moreCases = 0, brief, ...rest } = candidate
  if (!cases && !brief) return candidate
  const more = moreCases + Math.max(0, (cases?.length ?? 0) - maxCases)
  return {
    ...rest,
    ...(cases && { cases: short(cases.slice(0, maxCases)) }),
    ...(more > 0 && { moreCases: more }),
    ...(brief && { brief: short(brief) }),
  }
}

/** Shortens all texts and lists of plain data. */
function short<Data>(data: Data): Data {
  if (typeof data === 'string') return data.slice(0, maxText).toWellFormed() as Data
  if (Array.isArray(data)) return data.slice(0, maxListed).map(short) as Data
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, short(value)])) as Data
}
