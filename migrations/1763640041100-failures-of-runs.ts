import type { MigrationInterface, QueryRunner } from 'typeorm'

export class FailuresOfRuns1763640041100 implements MigrationInterface {
  name = 'FailuresOfRuns1763640041100'

  async up(db: QueryRunner) {
    // The digest of a run is grouped from this index alone, because rows with messages and stacks are wide.
    await db.query(
      `CREATE INDEX test_results_failures ON test_results (run_id, error_id, position) INCLUDE (test_id, muted)
        WHERE status = 'failed'`,
    )
  }

  async down(db: QueryRunner) {
    await db.query('DROP INDEX test_results_failures')
  }
}
