import type { MigrationInterface, QueryRunner } from 'typeorm'

export class SignIn1763640005000 implements MigrationInterface {
  name = 'SignIn1763640005000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE passwords (
        user_id text PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        password_hash text NOT NULL,
        updated_at timestamptz NOT NULL
      )`)
    await db.query(`
      CREATE TABLE account_links (
        id text PRIMARY KEY,
        user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
        provider text NOT NULL,
        provider_account_id text NOT NULL,
        login text,
        access_token text NOT NULL,
        refresh_token text,
        scope text,
        access_token_expires_at timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        UNIQUE (provider, provider_account_id)
      )`)
    await db.query('CREATE INDEX account_links_user_id ON account_links (user_id)')
    await db.query(`
      CREATE TABLE oauth_flows (
        state_hash text PRIMARY KEY,
        browser_hash text NOT NULL,
        provider text NOT NULL,
        code_verifier text NOT NULL,
        callback_url text NOT NULL,
        error_callback_url text,
        -- Set where somebody who is signed in links an account.
        user_id text REFERENCES users ON DELETE CASCADE,
        expires_at timestamptz NOT NULL
      )`)
    await db.query('CREATE INDEX oauth_flows_expires_at ON oauth_flows (expires_at)')
    await db.query(`
      CREATE TABLE one_time_tokens (
        token_hash text PRIMARY KEY,
        purpose text NOT NULL CHECK (purpose IN ('verify_email', 'reset_password', 'local_sign_in')),
        user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
        expires_at timestamptz NOT NULL
      )`)
    await db.query('CREATE INDEX one_time_tokens_user_id ON one_time_tokens (user_id, purpose)')
    await db.query('CREATE INDEX one_time_tokens_expires_at ON one_time_tokens (expires_at)')
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE one_time_tokens, oauth_flows, account_links, passwords')
  }
}
