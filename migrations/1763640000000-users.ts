import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Users1763640000000 implements MigrationInterface {
  name = 'Users1763640000000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE users (
        id text PRIMARY KEY,
        email text NOT NULL,
        name text NOT NULL,
        avatar text,
        email_verified boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )`)
    await db.query('CREATE UNIQUE INDEX users_email ON users (lower(email))')
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE users')
  }
}
