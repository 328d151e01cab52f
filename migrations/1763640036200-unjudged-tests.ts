import type { MigrationInterface, QueryRunner } from 'typeorm'

export class UnjudgedTests1763640036200 implements MigrationInterface {
  name = 'UnjudgedTests1763640036200'

  async up(db: QueryRunner) {
    // Work that is left for the health of tests. The jobs only say that there may be some.
    await db.query(`
      CREATE TABLE unjudged_tests (
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        test_id uuid NOT NULL,
        variant text NOT NULL,
        PRIMARY KEY (project_id, test_id, variant)
      )`)
    await db.query(`
      CREATE TABLE unjudged_projects (
        project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE
      )`)
    await db.query('CREATE INDEX tests_merged ON tests (project_id, merged_into) WHERE merged_into IS NOT NULL')
    await db.query(`CREATE INDEX test_runs_mass ON test_runs (project_id, ran_at) WHERE outage = 'mass'`)
    // A request may wait while the test is in quarantine.
    await db.query('DROP INDEX quarantines_open')
    await db.query(`
      CREATE UNIQUE INDEX quarantines_open ON quarantines (project_id, test_id, coalesce(variant, E'\\x01'), status)
       WHERE status IN ('requested', 'active')`)
  }

  async down(db: QueryRunner) {
    await db.query(`
      UPDATE quarantines AS q SET status = 'rejected'
       WHERE status = 'requested'
         AND EXISTS (SELECT FROM quarantines WHERE project_id = q.project_id AND test_id = q.test_id
                        AND variant IS NOT DISTINCT FROM q.variant AND status = 'active')`)
    await db.query('DROP INDEX quarantines_open')
    await db.query(`
      CREATE UNIQUE INDEX quarantines_open ON quarantines (project_id, test_id, coalesce(variant, E'\\x01'))
       WHERE status IN ('requested', 'active')`)
    await db.query('DROP INDEX test_runs_mass, tests_merged')
    await db.query('DROP TABLE unjudged_projects, unjudged_tests')
  }
}
