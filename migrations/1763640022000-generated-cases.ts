import type { MigrationInterface, QueryRunner } from 'typeorm'

export class GeneratedCases1763640022000 implements MigrationInterface {
  name = 'GeneratedCases1763640022000'

  async up(db: QueryRunner) {
    await db.query('ALTER TABLE generated_tests ADD COLUMN case_ids jsonb')
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE generated_tests DROP COLUMN case_ids')
  }
}
