import type { MigrationInterface, QueryRunner } from 'typeorm'

export class MeasuredCoverage1763640018000 implements MigrationInterface {
  name = 'MeasuredCoverage1763640018000'

  async up(db: QueryRunner) {
    // `12:1/2,14:0/3`: lines of which not every branch was taken. Null if the reports have no branches.
    await db.query('ALTER TABLE test_run_coverage ADD COLUMN partial_branches text')
    // `coverage` is the measured coverage that the ranking uses. A newer request than `ranked_at` is a ranking to come.
    await db.query(`
      ALTER TABLE analyses ADD COLUMN coverage jsonb, ADD COLUMN ranked_at timestamptz,
        ADD COLUMN ranking_requested_at timestamptz`)
    await db.query(`CREATE INDEX test_runs_measured ON test_runs (project_id, id DESC) WHERE coverage IS NOT NULL`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP INDEX test_runs_measured')
    await db.query('ALTER TABLE analyses DROP COLUMN coverage, DROP COLUMN ranked_at, DROP COLUMN ranking_requested_at')
    await db.query('ALTER TABLE test_run_coverage DROP COLUMN partial_branches')
  }
}
