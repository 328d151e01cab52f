import type { MigrationInterface, QueryRunner } from 'typeorm'

export class RepositoryUsers1763640013000 implements MigrationInterface {
  name = 'RepositoryUsers1763640013000'

  async up(db: QueryRunner) {
    await db.query('ALTER TABLE projects ADD repository_user_id text REFERENCES users ON DELETE SET NULL')
    await db.query('UPDATE projects SET repository_user_id = user_id')
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE projects DROP repository_user_id')
  }
}
