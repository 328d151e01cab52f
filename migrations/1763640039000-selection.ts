import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Selection1763640039000 implements MigrationInterface {
  name = 'Selection1763640039000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE selection_policies (
        project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
        policy jsonb NOT NULL
      )`)
    // What a selection would have run in place of a run of all tests. Tests that failed because of the change count as
    // `failures`, those of them that were selected as `caught`.
    await db.query(`
      CREATE TABLE shadow_selections (
        run_id text PRIMARY KEY REFERENCES test_runs ON DELETE CASCADE,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        base_sha text NOT NULL,
        head_sha text NOT NULL,
        mode text NOT NULL,
        why_all text,
        counts jsonb NOT NULL,
        all_seconds double precision NOT NULL,
        selected_seconds double precision NOT NULL,
        failures integer,
        caught integer,
        missed jsonb NOT NULL,
        created_at timestamptz NOT NULL
      )`)
    await db.query('CREATE INDEX shadow_selections_of_project ON shadow_selections (project_id, run_id)')
    // How a run chose its tests, if it chose them by its change.
    await db.query('ALTER TABLE test_runs ADD COLUMN impacted jsonb')
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE test_runs DROP COLUMN impacted')
    await db.query('DROP TABLE shadow_selections')
    await db.query('DROP TABLE selection_policies')
  }
}
