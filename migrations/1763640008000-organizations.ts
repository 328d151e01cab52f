import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Organizations1763640008000 implements MigrationInterface {
  name = 'Organizations1763640008000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE organizations (
        id text PRIMARY KEY,
        name text NOT NULL,
        slug text NOT NULL UNIQUE CHECK (slug = lower(slug)),
        description text,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )`)
    await db.query(`
      CREATE TABLE memberships (
        id text PRIMARY KEY,
        organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
        user_id text NOT NULL REFERENCES users ON DELETE CASCADE,
        role text NOT NULL CHECK (role IN ('viewer', 'member', 'admin', 'owner')),
        created_at timestamptz NOT NULL,
        UNIQUE (organization_id, user_id)
      )`)
    await db.query('CREATE INDEX memberships_user_id ON memberships (user_id)')
    await db.query(`
      CREATE TABLE invitations (
        id text PRIMARY KEY,
        organization_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
        email text NOT NULL,
        role text NOT NULL CHECK (role IN ('viewer', 'member', 'admin', 'owner')),
        created_at timestamptz NOT NULL,
        UNIQUE (organization_id, email)
      )`)
    await db.query('CREATE INDEX invitations_email ON invitations (email)')
    for (const table of ['projects', 'api_tokens']) {
      await db.query(`
        ALTER TABLE ${table} ADD CONSTRAINT ${table}_organization_id
          FOREIGN KEY (organization_id) REFERENCES organizations ON DELETE CASCADE`)
      await db.query(`
        CREATE INDEX ${table}_organization_id ON ${table} (organization_id, id) WHERE organization_id IS NOT NULL`)
    }
  }

  async down(db: QueryRunner) {
    for (const table of ['projects', 'api_tokens']) {
      await db.query(`DROP INDEX ${table}_organization_id`)
      await db.query(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_organization_id`)
    }
    await db.query('DROP TABLE invitations, memberships, organizations')
  }
}
