import type { MigrationInterface, QueryRunner } from 'typeorm'

export class AuditAndReceivers1763640017000 implements MigrationInterface {
  name = 'AuditAndReceivers1763640017000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE INDEX audit_logs_affected_user ON audit_logs ((metadata ->> 'affectedUserId'), sequence)
       WHERE metadata ? 'affectedUserId'`)
    await db.query(`
      CREATE INDEX audit_logs_organization ON audit_logs ((metadata ->> 'organizationId'), sequence)
       WHERE metadata ? 'organizationId'`)
    // The code host's id of the repository that last delivered with this URL. It survives a rename at the code host.
    await db.query('ALTER TABLE inbound_secrets ADD COLUMN repository_id bigint, ADD COLUMN repository_key text')
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE inbound_secrets DROP COLUMN repository_id, DROP COLUMN repository_key')
    await db.query('DROP INDEX audit_logs_affected_user, audit_logs_organization')
  }
}
