import type { MigrationInterface, QueryRunner } from 'typeorm'

export class FileStrength1763640030000 implements MigrationInterface {
  name = 'FileStrength1763640030000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE file_strength (
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        -- Empty for commits of the repository.
        snapshot_id text NOT NULL,
        path text NOT NULL,
        content_id text NOT NULL,
        commit_sha text NOT NULL,
        tried integer NOT NULL,
        lines jsonb NOT NULL,
        survivors jsonb NOT NULL,
        measured_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, snapshot_id, path, content_id)
      )`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE file_strength')
  }
}
