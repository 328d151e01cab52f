import type { MigrationInterface, QueryRunner } from 'typeorm'

export class CommitStatuses1763640012000 implements MigrationInterface {
  name = 'CommitStatuses1763640012000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE commit_statuses (
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        commit_sha text NOT NULL,
        context text NOT NULL,
        state text NOT NULL CHECK (state IN ('pending', 'success', 'failure', 'error')),
        description text NOT NULL,
        target_url text,
        version integer NOT NULL,
        PRIMARY KEY (project_id, commit_sha, context)
      )`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE commit_statuses')
  }
}
