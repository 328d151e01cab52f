import type { Context } from '../base/context.ts'
import { copyRows } from '../base/copy-rows.ts'
import type { CoveredFile } from '../../engines/coverage/collect-apart.ts'

type Tx = Pick<Context, 'db' | 'signal'>

/** Stores the coverage of files for which the run has none yet. */
export async function storeCoverage(tx: Tx, runId: string, files: Iterable<CoveredFile>): Promise<void> {
  const batchSize = 20
  function* rows() {
    let batch = []
    for (const { path, covered, uncovered, lines, branches, functions, ...byLine } of files) {
      batch.push([
        runId,
        path,
        covered,
        uncovered,
        lines.covered,
        lines.total,
        branches?.covered ?? null,
        branches?.total ?? null,
        functions?.covered ?? null,
        functions?.total ?? null,
        byLine.partialBranches,
        byLine.completeBranches,
      ])
      if (batch.length < batchSize) continue
      yield batch
      batch = []
    }
    yield batch
  }
  const columns =
    'run_id, path, covered_lines, uncovered_lines, lines_covered, lines_total, branches_covered, branches_total, ' +
    'functions_covered, functions_total, partial_branches, complete_branches'
  await copyRows(tx, `test_run_coverage (${columns})`, rows())
}
