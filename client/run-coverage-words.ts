import type { CoverageFigures } from '../core/test-runs/schema.ts'
import { cleanName, shorten } from './sanitize.ts'

interface RunCoverage {
  /** Percent of lines. */
  coverage: number | null
  coverageFigures?: CoverageFigures | null
}

/** What clients show of the coverage of a run. */
export interface RunCoverageWords {
  /** `97.4 % of 1,204 lines in 31 files`. */
  summary: string
  /** `src/a.ts (12 of 40 lines), src/b.ts (3 of 9 lines)`: the files with the most uncovered lines; null if there are none. */
  worst: string | null
}

/** Returns null for a run without coverage. */
export function runCoverageWords({ coverage, coverageFigures }: RunCoverage): RunCoverageWords | null {
  if (coverage === null) return null
  const percent = `${coverage.toFixed(1)} %`
  if (!coverageFigures) return { summary: `${percent} of lines`, worst: null }
  const { totalLines, files, worst } = coverageFigures
  return {
    summary: `${percent} of ${counted(totalLines, 'line')} in ${counted(files, 'file')}`,
    worst:
      worst.length === 0
        ? null
        : worst
            .map(
              (file) =>
                `${shorten(cleanName(file.path), 160)} (${file.coveredLines} of ${counted(file.totalLines, 'line')})`,
            )
            .join(', '),
  }
}

const counted = (count: number, what: string) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
