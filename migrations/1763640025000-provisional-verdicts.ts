import type { MigrationInterface, QueryRunner } from 'typeorm'

/** A verdict is provisional until its change has ended, so a change that ended without a final one has none. */
export class ProvisionalVerdicts1763640025000 implements MigrationInterface {
  name = 'ProvisionalVerdicts1763640025000'

  async up(db: QueryRunner) {
    await db.query(
      `UPDATE changes SET verdict = NULL, evidence = NULL WHERE is_provisional AND status IN ('failed', 'cancelled')`,
    )
    await db.query('ALTER TABLE changes DROP COLUMN is_provisional')
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE changes ADD COLUMN is_provisional boolean NOT NULL DEFAULT false')
    await db.query(`UPDATE changes SET is_provisional = true WHERE status = 'running' AND verdict IS NOT NULL`)
    await db.query('ALTER TABLE changes ALTER COLUMN is_provisional DROP DEFAULT')
  }
}
