import type { MigrationInterface, QueryRunner } from 'typeorm'

export class ReachedLines1763640035000 implements MigrationInterface {
  name = 'ReachedLines1763640035000'

  async up(db: QueryRunner) {
    // Empty where an earlier version measured.
    await db.query("ALTER TABLE file_strength ADD COLUMN reached_by jsonb NOT NULL DEFAULT '[]'")
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE file_strength DROP COLUMN reached_by')
  }
}
