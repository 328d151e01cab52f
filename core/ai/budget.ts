import type { AnalysisResult } from '../../engines/analysis/schema.ts'

const maxBytes = 1_048_576
const mostCandidates = 200

/**
 * Reduces an analysis to the size that a model can use. It keeps the best candidates, then the files of the candidates
 * and of their nearest tests, then other files as space permits. The counts still refer to the whole analysis.
 */
export function fitToBudget(
  analysis: AnalysisResult,
  budget = maxBytes,
  maxCandidates = mostCandidates,
): AnalysisResult {
  const testCandidates = analysis.testCandidates?.slice(0, maxCandidates)
  const fitted = { ...analysis, ...(testCandidates ? { testCandidates } : {}) }
  if (Buffer.byteLength(JSON.stringify(fitted)) <= budget) return fitted

  const wanted = new Set(testCandidates?.flatMap((candidate) => [candidate.path, ...(candidate.nearestTests ?? [])]))
  const files: AnalysisResult['files'] = []
  const bare = { ...fitted, files, directories: [], warnings: [] }
  let left = budget - Buffer.byteLength(JSON.stringify(bare))
  const ordered = [
    ...analysis.files.filter((file) => wanted.has(file.path)),
    ...analysis.files.filter((file) => !wanted.has(file.path)),
  ]
  for (const file of ordered) {
    left -= Buffer.byteLength(JSON.stringify(file)) + 1
    if (left < 0) break
    files.push(file)
  }
  return bare
}
