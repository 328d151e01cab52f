import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Strength1763640026000 implements MigrationInterface {
  name = 'Strength1763640026000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE strength_measurements (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        user_id text NOT NULL,
        branch text,
        commit_sha text,
        snapshot_id text,
        paths jsonb NOT NULL,
        since text,
        budget_seconds integer NOT NULL,
        again boolean NOT NULL,
        status text NOT NULL,
        verdict text,
        evidence jsonb,
        progress jsonb,
        error jsonb,
        content_key text,
        same_as text,
        attempt integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        started_at timestamptz,
        completed_at timestamptz
      )`)
    await db.query('CREATE INDEX strength_measurements_project_id ON strength_measurements (project_id, id)')
    await db.query(
      'CREATE INDEX strength_measurements_snapshot_id ON strength_measurements (snapshot_id) WHERE snapshot_id IS NOT NULL',
    )
    await db.query(
      `CREATE INDEX strength_measurements_waiting ON strength_measurements (project_id) WHERE status IN ('pending', 'running')`,
    )
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE strength_measurements')
  }
}
