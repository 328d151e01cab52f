import type { MigrationInterface, QueryRunner } from 'typeorm'

export class RateLimits1763640007000 implements MigrationInterface {
  name = 'RateLimits1763640007000'

  async up(db: QueryRunner) {
    // The columns are those of rate-limiter-flexible. Unlogged: counters of the last minutes may be lost in a crash.
    await db.query(`
      CREATE UNLOGGED TABLE rate_limits (
        key varchar(255) PRIMARY KEY,
        points integer NOT NULL DEFAULT 0,
        expire bigint
      ) WITH (fillfactor = 70)`)
    await db.query('CREATE INDEX rate_limits_expire ON rate_limits (expire)')
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE rate_limits')
  }
}
