import type { MigrationInterface, QueryRunner } from 'typeorm'

export class ApiTokens1763640002000 implements MigrationInterface {
  name = 'ApiTokens1763640002000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE api_tokens (
        id text PRIMARY KEY,
        user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
        name text NOT NULL,
        token_hash text NOT NULL UNIQUE,
        last_four text NOT NULL,
        scopes text[] NOT NULL,
        organization_id text,
        project_id text REFERENCES projects ON DELETE CASCADE,
        expires_at timestamptz NOT NULL,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz NOT NULL
      )`)
    await db.query('CREATE INDEX api_tokens_user_id ON api_tokens (user_id, id)')
    await db.query('CREATE INDEX api_tokens_project_id ON api_tokens (project_id) WHERE project_id IS NOT NULL')
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE api_tokens')
  }
}
