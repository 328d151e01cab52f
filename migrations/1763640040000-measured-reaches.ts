import type { MigrationInterface, QueryRunner } from 'typeorm'

export class MeasuredReaches1763640040000 implements MigrationInterface {
  name = 'MeasuredReaches1763640040000'

  /** What the test files of the project's branch were last seen to run. `engines/selection/reach-record.ts` reads `record`. */
  async up(db: QueryRunner) {
    await db.query(`
      CREATE TABLE measured_reaches (
        project_id text PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
        commit_sha text NOT NULL,
        tests integer NOT NULL,
        record bytea NOT NULL,
        measured_at timestamptz NOT NULL
      )`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP TABLE measured_reaches')
  }
}
