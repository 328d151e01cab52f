import type { MigrationInterface, QueryRunner } from 'typeorm'

export class MutantResults1763640029000 implements MigrationInterface {
  name = 'MutantResults1763640029000'

  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE mutant_results (
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        conditions text NOT NULL,
        kind text NOT NULL,
        name text NOT NULL,
        result jsonb NOT NULL,
        bytes integer NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, conditions, kind, name)
      )`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE mutant_results')
  }
}
