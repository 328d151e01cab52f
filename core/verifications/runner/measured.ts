import type { CoverageCollector } from '../../../engines/coverage/coverage.ts'
import { formatRanges } from '../../../engines/coverage/ranges.ts'
import type { Measured } from '../../../engines/verdicts/outcome.ts'

/** Converts collected coverage to a form that can be stored and compared. */
export function measuredOf(coverage: CoverageCollector): Measured {
  const files: Measured['files'] = Object.create(null)
  for (const { path, coveredLines, uncoveredLines } of coverage.files()) {
    const branches = coverage.reachedBranches(path).map(([line, count]) => `${line}:${count}`)
    files[path] = {
      covered: formatRanges(coveredLines),
      uncovered: formatRanges(uncoveredLines),
      branches: branches.join(','),
    }
  }
  return { files }
}
