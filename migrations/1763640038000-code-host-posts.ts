import type { MigrationInterface, QueryRunner } from 'typeorm'

export class CodeHostPosts1763640038000 implements MigrationInterface {
  name = 'CodeHostPosts1763640038000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE code_host_connections (
        project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
        kind text NOT NULL CHECK (kind IN ('github', 'gitlab', 'gitea')),
        api_url text NOT NULL,
        token text NOT NULL,
        repository text NOT NULL,
        set_by text REFERENCES users ON DELETE SET NULL,
        set_at timestamptz NOT NULL,
        last_problem text,
        last_problem_at timestamptz
      )`)
    await db.query(`
      CREATE TABLE code_host_posts (
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        kind text NOT NULL CHECK (kind IN ('report', 'comment')),
        target text NOT NULL,
        content jsonb NOT NULL,
        version integer NOT NULL,
        posted_version integer NOT NULL DEFAULT 0,
        known jsonb,
        failures integer NOT NULL DEFAULT 0,
        failing_since timestamptz,
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, kind, target)
      )`)
    await db.query('CREATE INDEX code_host_posts_updated_at ON code_host_posts (updated_at)')
    await db.query('CREATE TABLE code_host_limits (account text PRIMARY KEY, until timestamptz NOT NULL)')
    await db.query(`
      INSERT INTO code_host_posts (project_id, kind, target, content, version)
      SELECT project_id, 'report', commit_sha || '/' || context,
             jsonb_build_object('projectId', project_id, 'commitSha', commit_sha, 'context', context, 'state', state,
                                'title', description, 'summary', '', 'annotations', '[]'::jsonb, 'targetUrl', target_url),
             version
        FROM commit_statuses`)
    await db.query('DROP TABLE commit_statuses')
  }

  async down(db: QueryRunner) {
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
    await db.query('DROP TABLE code_host_limits, code_host_posts, code_host_connections')
  }
}
