import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Gates1763640037100 implements MigrationInterface {
  name = 'Gates1763640037100'

  async up(db: QueryRunner) {
    // The commit whose files were tested, if it is a merge of `commit_sha` with another branch.
    await db.query('ALTER TABLE test_runs ADD COLUMN tested_sha text')
    // A gate is about a commit or a snapshot, compared with a base. `subject` is the id of either.
    // `requests` counts what could change the decision; `judged` is the count that the decision knows.
    await db.query(`
      CREATE TABLE gates (
        id text PRIMARY KEY,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        subject text NOT NULL,
        base text NOT NULL,
        head_sha text,
        snapshot_id text,
        branch text,
        pull_request integer,
        base_sha text,
        patch jsonb,
        incomparable text,
        state text NOT NULL,
        mode text NOT NULL,
        reasons jsonb NOT NULL DEFAULT '[]',
        figures jsonb,
        files jsonb,
        requests integer NOT NULL DEFAULT 1,
        judged integer NOT NULL DEFAULT 0,
        deadline_at timestamptz NOT NULL,
        decided_at timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        UNIQUE (project_id, subject, base)
      )`)
    await db.query('CREATE INDEX gates_of_project ON gates (project_id, id)')
    await db.query(`CREATE INDEX gates_pending ON gates (deadline_at) WHERE state = 'pending'`)
    await db.query('CREATE INDEX gates_updated_at ON gates (updated_at)')
    await db.query('CREATE INDEX gates_of_pull_request ON gates (project_id, pull_request, id)')
    await db.query(`
      CREATE TABLE gate_policies (
        project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
        policy jsonb NOT NULL,
        updated_at timestamptz NOT NULL
      )`)
    // Commits of which CI said that no more uploads come.
    await db.query(`
      CREATE TABLE finished_uploads (
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        commit_sha text NOT NULL,
        finished_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, commit_sha)
      )`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE finished_uploads')
    await db.query('DROP TABLE gate_policies')
    await db.query('DROP TABLE gates')
    await db.query('ALTER TABLE test_runs DROP COLUMN tested_sha')
  }
}
