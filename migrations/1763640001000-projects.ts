import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Projects1763640001000 implements MigrationInterface {
  name = 'Projects1763640001000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE projects (
        id text PRIMARY KEY,
        name text NOT NULL,
        description text,
        repository text NOT NULL,
        branch text NOT NULL,
        language text,
        framework text,
        user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
        organization_id text,
        settings jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )`)
    await db.query('CREATE INDEX projects_user_id ON projects (user_id, id)')
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE projects')
  }
}
