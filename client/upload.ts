import type { AnalysisResult, AnalyzedFile } from '../engines/analysis/schema.ts'

/** The limit of core is 8 MiB, which leaves room for the rest of the request. */
export const uploadBudgetBytes = 7 * 1_024 * 1_024

/**
 * Cuts the result to the size that core accepts. Keeps the test candidates, drops the least useful files first, and adds a
 * warning with their number.
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
  // Leaves room for the warning below.
  let room = budget - sizeOf(lean) - 300
  const files: AnalyzedFile[] = []
  for (const file of ordered) {
    room -= sizeOf(file) + 1
    if (room < 0) break
    files.push(file)
  }
  const message = `${result.files.length - files.length} of ${result.files.length} files and the list of directories were omitted from the upload`
  return { ...lean, files, warnings: [...warnings, { code: 'limit_reached', message }] }
}

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
