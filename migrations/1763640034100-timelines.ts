import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Timelines1763640034100 implements MigrationInterface {
  name = 'Timelines1763640034100'

  async up(db: QueryRunner) {
    await db.query('ALTER TABLE test_runs ADD COLUMN timeline jsonb')
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE test_runs DROP COLUMN timeline')
  }
}
