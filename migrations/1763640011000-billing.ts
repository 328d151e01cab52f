import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Billing1763640011000 implements MigrationInterface {
  name = 'Billing1763640011000'

  async up(db: QueryRunner) {
    // The organization is null until an event names it, because other events of a subscription may arrive earlier.
    await db.query(`
      CREATE TABLE subscriptions (
        id text PRIMARY KEY,
        organization_id text REFERENCES organizations ON DELETE CASCADE,
        customer_id text,
        plan text CHECK (plan IN ('free', 'team', 'unlimited')),
        status text,
        current_period_end timestamptz,
        last_event_at timestamptz,
        last_event_rank integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL
      )`)
    await db.query(`
      CREATE INDEX subscriptions_organization_id ON subscriptions (organization_id) WHERE organization_id IS NOT NULL`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE subscriptions')
  }
}
