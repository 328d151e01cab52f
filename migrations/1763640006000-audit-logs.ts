import type { MigrationInterface, QueryRunner } from 'typeorm'

export class AuditLogs1763640006000 implements MigrationInterface {
  name = 'AuditLogs1763640006000'

  async up(db: QueryRunner) {
    // No foreign key to the user: the log outlives a deleted account.
    await db.query(`
      CREATE TABLE audit_logs (
        sequence bigint PRIMARY KEY,
        id text NOT NULL UNIQUE,
        user_id text,
        action text NOT NULL,
        ip_address text,
        user_agent text,
        metadata jsonb,
        created_at timestamptz NOT NULL,
        hash text NOT NULL
      )`)
    await db.query('CREATE INDEX audit_logs_user_id ON audit_logs (user_id, sequence)')
    // The last time a rejection of this token was recorded.
    await db.query('ALTER TABLE api_tokens ADD COLUMN refused_at timestamptz')
    await db.query(`
      CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'audit_logs is append-only';
      END $$`)
    for (const [name, events, each] of [
      ['audit_logs_rows', 'UPDATE OR DELETE', 'ROW'],
      ['audit_logs_table', 'TRUNCATE', 'STATEMENT'],
    ]) {
      await db.query(`
        CREATE TRIGGER ${name} BEFORE ${events} ON audit_logs
           FOR EACH ${each} EXECUTE FUNCTION refuse_audit_change()`)
      // Also for replication roles, for which ordinary triggers do not fire.
      await db.query(`ALTER TABLE audit_logs ENABLE ALWAYS TRIGGER ${name}`)
    }
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE api_tokens DROP COLUMN refused_at')
    await db.query('DROP TABLE audit_logs')
    await db.query('DROP FUNCTION refuse_audit_change')
  }
}
