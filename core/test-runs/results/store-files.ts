import type { Context } from '../../base/context.ts'

/** A longer path does not fit into an index. */
const maxPathBytes = 1_024

/** Stores which files the tests of a run are in. Call it after results were stored, in the same transaction. */
export async function storeTestFiles({ db }: Pick<Context, 'db'>, runId: string): Promise<void> {
  await db.query(
    `INSERT INTO test_run_files (project_id, file, run_id, tests, failed)
     SELECT run.project_id, result.file, run.id, count(*), count(*) FILTER (WHERE result.status = 'failed')
       FROM test_runs AS run JOIN test_results AS result ON result.run_id = run.id
      WHERE run.id = $1 AND run.snapshot_id IS NULL AND octet_length(result.file) <= ${maxPathBytes}
      GROUP BY run.project_id, result.file, run.id
     ON CONFLICT (project_id, file, run_id) DO UPDATE SET tests = excluded.tests, failed = excluded.failed`,
    [runId],
  )
}
