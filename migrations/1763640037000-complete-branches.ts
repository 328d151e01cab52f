import type { MigrationInterface, QueryRunner } from 'typeorm'

export class CompleteBranches1763640037000 implements MigrationInterface {
  name = 'CompleteBranches1763640037000'

  async up(db: QueryRunner) {
    // `12:2,14:4`: lines of which every branch was taken, with their number. Null for runs of earlier versions.
    await db.query('ALTER TABLE test_run_coverage ADD COLUMN complete_branches text')
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE test_run_coverage DROP COLUMN complete_branches')
  }
}
