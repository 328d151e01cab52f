import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Analyses1763640003000 implements MigrationInterface {
  name = 'Analyses1763640003000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE analyses (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        status text NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed')),
        requested_branch text,
        requested_commit text,
        branch text,
        commit_sha text,
        files_analyzed integer NOT NULL DEFAULT 0,
        test_candidates integer NOT NULL DEFAULT 0,
        languages jsonb NOT NULL DEFAULT '{}',
        frameworks jsonb NOT NULL DEFAULT '[]',
        progress jsonb,
        error jsonb,
        result jsonb,
        created_at timestamptz NOT NULL,
        started_at timestamptz,
        completed_at timestamptz
      )`)
    await db.query('CREATE INDEX analyses_project_id ON analyses (project_id, id)')
    // A request joins a pending analysis of the same commit or branch.
    await db.query(`
      CREATE UNIQUE INDEX analyses_waiting
          ON analyses (project_id, coalesce(requested_commit, ''), coalesce(requested_branch, ''))
       WHERE status = 'pending'`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE analyses')
  }
}
