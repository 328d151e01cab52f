import type { CoveredFile } from '../../../engines/coverage/collect-apart.ts'
import type { Measured } from '../../../engines/verdicts/outcome.ts'

/** Converts collected coverage to a form that can be stored and compared. */
export function measuredOf(coverage: readonly CoveredFile[]): Measured {
  const files: Measured['files'] = Object.create(null)
  for (const { path, covered, uncovered, uncalled, reachedBranches: branches, partialBranches: partial } of coverage) {
    files[path] = { covered, uncovered, branches, ...(partial && { partial }), ...(uncalled && { uncalled }) }
  }
  return { files }
}
