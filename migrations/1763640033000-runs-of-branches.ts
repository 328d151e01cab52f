import type { MigrationInterface, QueryRunner } from 'typeorm'

export class RunsOfBranches1763640033000 implements MigrationInterface {
  name = 'RunsOfBranches1763640033000'

  async up(db: QueryRunner) {
    await db.query('CREATE INDEX test_runs_of_branch ON test_runs (project_id, branch, id) WHERE snapshot_id IS NULL')
    // The latest run that passed, the latest that did not, and how many came since: see core/history/standings.ts. The
    // included columns let Postgres count without reading the rows.
    await db.query(`
      CREATE INDEX test_runs_outcomes
          ON test_runs (project_id, branch, (CASE WHEN status = 'COMPLETED' AND failed_tests = 0 THEN 1 ELSE 0 END), id)
     INCLUDE (status, failed_tests)
       WHERE snapshot_id IS NULL AND selection IS NULL AND with_secrets
         AND (status = 'FAILED' OR (status = 'COMPLETED' AND total_tests > 0))`)
    await db.query(`CREATE INDEX suggestions_open ON suggestions (project_id) WHERE status = 'open'`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP INDEX suggestions_open, test_runs_outcomes, test_runs_of_branch')
  }
}
