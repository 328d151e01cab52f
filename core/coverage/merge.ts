import type { Context } from '../base/context.ts'
import type { CoveredFile } from '../../engines/coverage/collect-apart.ts'
import { mergeCompleteBranches, mergePartialBranches } from '../../engines/coverage/branch-text.ts'
import type { Share } from '../../engines/coverage/coverage.ts'
import {
  countRanges,
  formatRanges,
  hasLine,
  parseRanges,
  uniteRanges,
  withoutRanges,
} from '../../engines/coverage/ranges.ts'
import { storeCoverage } from './store.ts'

interface Row {
  path: string
  covered_lines: string
  uncovered_lines: string
  branches_covered: number | null
  branches_total: number | null
  functions_covered: number | null
  functions_total: number | null
  partial_branches: string | null
  complete_branches: string | null
}

/**
 * Merges coverage into that of a run, in the caller's transaction, which has locked the run's row. A line is covered if
 * either of them covers it. Of branches and functions
 * the larger counts remain, because counts do not say which ones they are.
 *
 * @returns the percentage of covered lines, rounded to two decimals; null if there are no lines
 */
export async function mergeCoverage(
  tx: Pick<Context, 'db' | 'signal'>,
  runId: string,
  files: readonly CoveredFile[],
): Promise<number | null> {
  // Deletes the rows, because `storeCoverage` only inserts.
  const [rows] = await tx.db.query<[Row[], number]>(
    `DELETE FROM test_run_coverage WHERE run_id = $1 AND path = ANY ($2)
     RETURNING path, covered_lines, uncovered_lines, branches_covered, branches_total, functions_covered, functions_total,
               partial_branches, complete_branches`,
    [runId, files.map(({ path }) => path)],
  )
  const known = new Map(rows.map((row) => [row.path, row]))
  function* merged() {
    for (const file of files) {
      const before = known.get(file.path)
      yield before ? mergeFile(before, file) : file
    }
  }
  await storeCoverage(tx, runId, merged())
  const [{ percent }] = await tx.db.query<[{ percent: number | null }]>(
    `SELECT round(100.0 * sum(lines_covered) / nullif(sum(lines_total), 0), 2)::float8 AS percent
       FROM test_run_coverage WHERE run_id = $1`,
    [runId],
  )
  return percent
}

function mergeFile(before: Row, file: CoveredFile): CoveredFile {
  const coveredLines = uniteRanges(parseRanges(before.covered_lines), parseRanges(file.covered))
  const uncoveredLines = withoutRanges(
    uniteRanges(parseRanges(before.uncovered_lines), parseRanges(file.uncovered)),
    coveredLines,
  )
  const covered = countRanges(coveredLines)
  return {
    ...file,
    covered: formatRanges(coveredLines),
    uncovered: formatRanges(uncoveredLines),
    lines: { covered, total: covered + countRanges(uncoveredLines) },
    branches: larger(shareOf(before.branches_covered, before.branches_total), file.branches),
    functions: larger(shareOf(before.functions_covered, before.functions_total), file.functions),
    completeBranches: mergeCompleteBranches(before.complete_branches, file.completeBranches),
    partialBranches: mergePartialBranches(
      { partial: before.partial_branches, ...linesOf(before.covered_lines, before.uncovered_lines) },
      { partial: file.partialBranches, ...linesOf(file.covered, file.uncovered) },
    ),
  }
}

const shareOf = (covered: number | null, total: number | null): Share | null =>
  covered === null || total === null ? null : { covered, total }

function larger(one: Share | null, other: Share | null): Share | null {
  if (one === null || other === null) return one ?? other
  return { covered: Math.max(one.covered, other.covered), total: Math.max(one.total, other.total) }
}

const linesOf = (covered: string, uncovered: string) => {
  const both = [parseRanges(covered), parseRanges(uncovered)]
  return { hasLine: (line: number) => both.some((ranges) => hasLine(ranges, line)) }
}
