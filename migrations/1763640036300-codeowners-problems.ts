import type { MigrationInterface, QueryRunner } from 'typeorm'

export class CodeownersProblems1763640036300 implements MigrationInterface {
  name = 'CodeownersProblems1763640036300'

  async up(db: QueryRunner) {
    await db.query(`ALTER TABLE codeowners ADD COLUMN problems jsonb NOT NULL DEFAULT '[]'`)
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE codeowners DROP COLUMN problems')
  }
}
