import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Changes1763640024000 implements MigrationInterface {
  name = 'Changes1763640024000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE changes (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        user_id text NOT NULL,
        base text,
        base_sha text,
        head text,
        head_sha text,
        snapshot_id text,
        intent text NOT NULL,
        repeats integer NOT NULL,
        mutants integer NOT NULL,
        budget_seconds integer NOT NULL,
        again boolean NOT NULL,
        status text NOT NULL,
        verdict text,
        is_provisional boolean NOT NULL,
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
    await db.query('CREATE INDEX changes_project_id ON changes (project_id, id)')
    await db.query(`CREATE INDEX changes_content_key ON changes (project_id, content_key) WHERE status = 'completed'`)
    await db.query('CREATE INDEX changes_snapshot_id ON changes (snapshot_id) WHERE snapshot_id IS NOT NULL')
    await db.query(`CREATE INDEX changes_waiting ON changes (project_id) WHERE status IN ('pending', 'running')`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE changes')
  }
}
