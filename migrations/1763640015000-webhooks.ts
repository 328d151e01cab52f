import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Webhooks1763640015000 implements MigrationInterface {
  name = 'Webhooks1763640015000'

  async up(db: QueryRunner) {
    // No foreign keys to projects and organizations, because the events of their deletion are sent after it. The fill
    // factor leaves space on each page for the updates of every delivery.
    await db.query(`
      CREATE TABLE webhooks (
        id text PRIMARY KEY,
        organization_id text,
        project_id text,
        user_id text NOT NULL,
        url text NOT NULL,
        description text,
        events text[] NOT NULL,
        secret text NOT NULL,
        previous_secret text,
        previous_secret_until timestamptz,
        active boolean NOT NULL,
        paused_at timestamptz,
        disabled_reason text,
        failing_since timestamptz,
        failures_in_row integer NOT NULL DEFAULT 0,
        open_until timestamptz,
        delivery_count integer NOT NULL DEFAULT 0,
        last_delivery_at timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        deleted_at timestamptz
      ) WITH (fillfactor = 50)`)
    await db.query('CREATE INDEX webhooks_project_id ON webhooks (project_id) WHERE deleted_at IS NULL')
    await db.query('CREATE INDEX webhooks_organization_id ON webhooks (organization_id) WHERE deleted_at IS NULL')
    // Pending rows change often, and ended rows stay: hence the fill factor and the frequent vacuum.
    await db.query(`
      CREATE TABLE webhook_deliveries (
        id text PRIMARY KEY,
        webhook_id text NOT NULL REFERENCES webhooks ON DELETE CASCADE,
        event_id text,
        event text NOT NULL,
        body text NOT NULL,
        status text NOT NULL,
        attempt_count integer NOT NULL DEFAULT 0,
        scheduled_attempts integer NOT NULL DEFAULT 0,
        trigger text NOT NULL,
        next_attempt_at timestamptz,
        resume_at timestamptz,
        lease_token uuid,
        lease_until timestamptz,
        response_status integer,
        response_body text,
        error text,
        delivered_at timestamptz,
        created_at timestamptz NOT NULL
      ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`)
    await db.query(`
      CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending'`)
    await db.query(`
      CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at, webhook_id) WHERE status = 'pending'`)
    await db.query(`
      CREATE INDEX webhook_deliveries_asked_for ON webhook_deliveries (webhook_id)
        WHERE status = 'pending' AND trigger <> 'scheduled'`)
    await db.query(`
      CREATE INDEX webhook_deliveries_in_flight ON webhook_deliveries (webhook_id) WHERE status = 'in_flight'`)
    // For paging and counting a long history, and for finding events without a delivery, without reading its rows.
    await db.query(`
      CREATE INDEX webhook_deliveries_history ON webhook_deliveries (webhook_id, id) INCLUDE (status, event, event_id)`)
    await db.query(`
      CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook_id, id) WHERE status = 'failed'`)
    // No foreign key, which would be checked for every attempt. The code that deletes deliveries also deletes attempts.
    await db.query(`
      CREATE TABLE webhook_attempts (
        delivery_id text NOT NULL,
        number integer NOT NULL,
        trigger text NOT NULL,
        started_at timestamptz NOT NULL,
        duration_ms integer NOT NULL,
        response_status integer,
        error text,
        address text,
        response_head text,
        PRIMARY KEY (delivery_id, number)
      )`)
    // An event stores the envelope to send, since its subject may be deleted by then. Earlier events need none: no
    // webhook is older.
    await db.query('DELETE FROM events')
    await db.query('ALTER TABLE events DROP COLUMN data, ADD COLUMN envelope text NOT NULL')
    await db.query('CREATE INDEX events_project_id ON events (project_id, id)')
    await db.query('CREATE INDEX events_organization_id ON events (organization_id, id)')
    // One statement creates all deliveries of an event, so the database generates their ids.
    await db.query(`
      CREATE FUNCTION new_ulid(at timestamptz) RETURNS text LANGUAGE sql VOLATILE AS $$
        SELECT string_agg(
                 substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ',
                        1 + ((floor(extract(epoch FROM at) * 1000)::bigint >> (5 * (9 - place))) & 31)::int, 1),
                 '' ORDER BY place)
               || (SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + get_byte(random, byte) % 32, 1), '')
                     FROM (SELECT uuid_send(gen_random_uuid()) AS random) AS source, generate_series(0, 15) AS byte)
          FROM generate_series(0, 9) AS place
      $$`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP FUNCTION new_ulid')
    await db.query('DROP INDEX events_project_id, events_organization_id')
    await db.query('DELETE FROM events')
    await db.query('ALTER TABLE events DROP COLUMN envelope, ADD COLUMN data jsonb NOT NULL')
    await db.query('DROP TABLE webhook_attempts, webhook_deliveries, webhooks')
  }
}
