import type { MigrationInterface, QueryRunner } from 'typeorm'

export class ReachedMutants1763640032000 implements MigrationInterface {
  name = 'ReachedMutants1763640032000'

  async up(db: QueryRunner) {
    // Null where an earlier version measured.
    await db.query('ALTER TABLE file_strength ADD COLUMN reached integer')
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE file_strength DROP COLUMN reached')
  }
}
