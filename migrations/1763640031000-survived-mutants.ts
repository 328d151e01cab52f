import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Calls that wait for survivors look at their number often, and the evidence is large. */
export class SurvivedMutants1763640031000 implements MigrationInterface {
  name = 'SurvivedMutants1763640031000'

  async up(db: QueryRunner) {
    await db.query(`
      ALTER TABLE strength_measurements
        ADD COLUMN survived integer NOT NULL GENERATED ALWAYS AS (coalesce((evidence ->> 'survived')::integer, 0)) STORED`)
  }

  async down(db: QueryRunner) {
    await db.query('ALTER TABLE strength_measurements DROP COLUMN survived')
  }
}
