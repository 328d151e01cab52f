import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Inbound1763640010000 implements MigrationInterface {
  name = 'Inbound1763640010000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE inbound_secrets (
        project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
        secret text NOT NULL,
        previous_secret text,
        previous_until timestamptz,
        rotated_at timestamptz NOT NULL
      )`)
    await db.query(`
      CREATE TABLE inbound_deliveries (
        id text PRIMARY KEY,
        source text NOT NULL CHECK (source IN ('project', 'app', 'code_host', 'billing')),
        project_id text REFERENCES projects ON DELETE CASCADE,
        delivery_id text NOT NULL,
        event text NOT NULL,
        action text,
        payload_digest text NOT NULL,
        facts jsonb NOT NULL,
        status text NOT NULL CHECK (status IN ('received', 'processed', 'ignored', 'failed')),
        reason text,
        received_at timestamptz NOT NULL,
        processed_at timestamptz,
        CHECK ((source = 'project') = (project_id IS NOT NULL))
      )`)
    // Delivery ids are unique per project, because each project has its own secret and must not use up ids of another.
    await db.query(`
      CREATE UNIQUE INDEX inbound_deliveries_delivery_id
          ON inbound_deliveries (source, coalesce(project_id, ''), delivery_id)`)
    await db.query(`
      CREATE INDEX inbound_deliveries_project_id ON inbound_deliveries (project_id, id) WHERE project_id IS NOT NULL`)
    await db.query('CREATE INDEX inbound_deliveries_received_at ON inbound_deliveries (received_at)')
    await db.query(`
      CREATE TABLE inbound_outcomes (
        delivery_id text NOT NULL REFERENCES inbound_deliveries ON DELETE CASCADE,
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        status text NOT NULL CHECK (status IN ('processed', 'ignored', 'failed')),
        reason text,
        effects jsonb NOT NULL,
        processed_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, delivery_id)
      )`)
    await db.query('CREATE INDEX inbound_outcomes_delivery_id ON inbound_outcomes (delivery_id)')
    // Normalizes the spellings of a repository URL, like core/inbound/repository-key.ts.
    await db.query(`
      CREATE FUNCTION repository_key(address text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
        SELECT lower(regexp_replace(regexp_replace(address, '^[a-z]+://', '', 'i'), '(\\.git)?/*$', '', 'i'))
      $$`)
    await db.query('CREATE INDEX projects_repository_key ON projects (repository_key(repository))')
  }

  async down(db: QueryRunner) {
    await db.query('DROP INDEX projects_repository_key')
    await db.query('DROP FUNCTION repository_key')
    await db.query('DROP TABLE inbound_outcomes, inbound_deliveries, inbound_secrets')
  }
}
