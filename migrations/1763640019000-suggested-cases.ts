import type { MigrationInterface, QueryRunner } from 'typeorm'

export class SuggestedCases1763640019000 implements MigrationInterface {
  name = 'SuggestedCases1763640019000'

  async up(db: QueryRunner) {
    await db.query(`
      ALTER TABLE suggestions ADD COLUMN case_ids jsonb, ADD COLUMN cases jsonb, ADD COLUMN through jsonb`)
  }

  async down(db: QueryRunner) {
    // The status is new too: without it, such a suggestion is open.
    await db.query(`UPDATE suggestions SET status = 'open' WHERE status = 'outdated'`)
    await db.query('ALTER TABLE suggestions DROP COLUMN case_ids, DROP COLUMN cases, DROP COLUMN through')
  }
}
