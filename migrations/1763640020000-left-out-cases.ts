import type { MigrationInterface, QueryRunner } from 'typeorm'

export class LeftOutCases1763640020000 implements MigrationInterface {
  name = 'LeftOutCases1763640020000'

  async up(db: QueryRunner) {
    // How many open cases of the code are not in `cases`. Null if there are none.
    await db.query('ALTER TABLE suggestions ADD COLUMN more_cases integer')
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE suggestions DROP COLUMN more_cases')
  }
}
