import type { MigrationInterface, QueryRunner } from 'typeorm'

export class VerificationBudget1763640028000 implements MigrationInterface {
  name = 'VerificationBudget1763640028000'

  async up(db: QueryRunner) {
    await db.query('ALTER TABLE verifications ADD COLUMN budget_seconds integer NOT NULL DEFAULT 60')
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE verifications DROP COLUMN budget_seconds')
  }
}
