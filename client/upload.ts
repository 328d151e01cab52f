import type { AnalysisResult, AnalyzedFile } from '../engines/analysis/schema.ts'

/** Core takes 8 MiB; the rest of the request fits into what is left. */
export const uploadBudgetBytes = 7 * 1_024 * 1_024

/**
 * The result within the size that core accepts. What suggestions are made of stays; files that nobody would write a
 * test for go first, and a warning says how many went.
 */
export function cutForUpload(result: AnalysisResult, budget = uploadBudgetBytes): AnalysisResult {
  if (sizeOf(result) <= budget) return result
  const withCandidates = new Set(result.testCandidates?.map((candidate) => candidate.path))
  const importance = (file: AnalyzedFile) => {
    if (withCandidates.has(file.path)) return 0
    return file.tags?.some((tag) => tag !== 'test') ? 2 : 1
  }
  const ordered = result.files.toSorted((a, b) => importance(a) - importance(b))
  const warnings = result.warnings?.slice(0, 100) ?? []
  const lean = { ...result, files: [], directories: [], warnings }
  // Room for the warning below.
  let room = budget - sizeOf(lean) - 300
  const files: AnalyzedFile[] = []
  for (const file of ordered) {
    room -= sizeOf(file) + 1
    if (room < 0) break
    files.push(file)
  }
  const message = `${result.files.length - files.length} of ${result.files.length} files and the list of directories were left out of the upload`
  return { ...lean, files, warnings: [...warnings, { code: 'limit_reached', message }] }
}

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
