import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Sessions1763640004000 implements MigrationInterface {
  name = 'Sessions1763640004000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE sessions (
        id text PRIMARY KEY,
        user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
        generation integer NOT NULL,
        token_hash text NOT NULL,
        previous_hash text,
        -- Since when the current token is known to have arrived; from then on the previous one has its grace time.
        presented_at timestamptz,
        -- When the current token was made, or last sent again.
        issued_at timestamptz NOT NULL,
        active_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        absolute_expires_at timestamptz NOT NULL,
        revoked_at timestamptz,
        ip_address text,
        user_agent text,
        created_at timestamptz NOT NULL
      ) WITH (fillfactor = 80)`)
    await db.query('CREATE INDEX sessions_user_id ON sessions (user_id, id)')
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE sessions')
  }
}
