import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The records that can be of a snapshot. */
const tables = ['analyses', 'test_runs', 'verifications', 'generated_tests']

export class Snapshots1763640023000 implements MigrationInterface {
  name = 'Snapshots1763640023000'

  async up(db: QueryRunner) {
    // The objects are files: see core/snapshots/directories.ts.
    await db.query(`
      CREATE TABLE snapshots (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        user_id text NOT NULL,
        base_sha text,
        head_sha text,
        branch text,
        tree_sha text NOT NULL,
        commit_sha text NOT NULL,
        files integer NOT NULL,
        bytes bigint NOT NULL,
        with_secrets boolean NOT NULL,
        created_at timestamptz NOT NULL,
        last_used_at timestamptz NOT NULL,
        UNIQUE (project_id, user_id, commit_sha)
      )`)
    await db.query('CREATE INDEX snapshots_project_id ON snapshots (project_id, id)')
    await db.query('CREATE INDEX snapshots_last_used_at ON snapshots (last_used_at)')
    // Without a foreign key: a record of a deleted snapshot must still be known as one, because it never counts.
    for (const table of tables) await db.query(`ALTER TABLE ${table} ADD COLUMN snapshot_id text`)
    for (const table of tables.slice(0, 3)) {
      await db.query(`CREATE INDEX ${table}_snapshot_id ON ${table} (snapshot_id) WHERE snapshot_id IS NOT NULL`)
    }
  }

  async down(db: QueryRunner) {
    for (const table of tables) await db.query(`ALTER TABLE ${table} DROP COLUMN snapshot_id`)
    await db.query('DROP TABLE snapshots')
  }
}
