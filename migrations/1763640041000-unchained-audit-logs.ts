import type { MigrationInterface, QueryRunner } from 'typeorm'

export class UnchainedAuditLogs1763640041000 implements MigrationInterface {
  name = 'UnchainedAuditLogs1763640041000'

  async up(db: QueryRunner) {
    // Audit rows between the commit of the recorded change and the transaction that chains them.
    await db.query(`
      CREATE TABLE unchained_audit_logs (
        position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        user_id text,
        action text NOT NULL,
        ip_address text,
        user_agent text,
        metadata jsonb,
        created_at timestamptz NOT NULL,
        signature text NOT NULL
      )`)
    await db.query(`
      CREATE FUNCTION refuse_unchained_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'unchained_audit_logs accepts only new rows, and deletes only chained rows';
      END $$`)
    // A connection keeps the plan of its first call, when the log may have been empty. Only the index serves a large log.
    await db.query(`
      CREATE FUNCTION refuse_unchained_audit_loss() RETURNS trigger LANGUAGE plpgsql
         SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      BEGIN
        IF EXISTS (SELECT FROM deleted WHERE NOT EXISTS (SELECT FROM audit_logs WHERE audit_logs.id = deleted.id)) THEN
          RAISE EXCEPTION 'unchained_audit_logs accepts only new rows, and deletes only chained rows';
        END IF;
        RETURN NULL;
      END $$`)
    await db.query(`
      CREATE TRIGGER unchained_audit_logs_rows BEFORE UPDATE ON unchained_audit_logs
         FOR EACH ROW EXECUTE FUNCTION refuse_unchained_audit_change()`)
    await db.query(`
      CREATE TRIGGER unchained_audit_logs_table BEFORE TRUNCATE ON unchained_audit_logs
         FOR EACH STATEMENT EXECUTE FUNCTION refuse_unchained_audit_change()`)
    await db.query(`
      CREATE TRIGGER unchained_audit_logs_deletions AFTER DELETE ON unchained_audit_logs
         REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION refuse_unchained_audit_loss()`)
    // Also for replication roles, for which ordinary triggers do not fire.
    for (const name of ['rows', 'table', 'deletions']) {
      await db.query(`ALTER TABLE unchained_audit_logs ENABLE ALWAYS TRIGGER unchained_audit_logs_${name}`)
    }
  }

  async down(db: QueryRunner) {
    // The version before this migration does not chain these rows, so none may be left.
    const [row] = await db.query('SELECT 1 FROM unchained_audit_logs LIMIT 1')
    if (row) throw new Error('unchained_audit_logs has rows. Start and stop Assay to chain them, then try again.')
    await db.query('DROP TABLE unchained_audit_logs')
    await db.query('DROP FUNCTION refuse_unchained_audit_change, refuse_unchained_audit_loss')
  }
}
