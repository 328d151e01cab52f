import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The records that a caller creates. */
const tables = [
  'analyses',
  'suggestions',
  'generated_tests',
  'verifications',
  'changes',
  'strength_measurements',
  'test_runs',
  'snapshots',
]

export class Activity1763640033100 implements MigrationInterface {
  name = 'Activity1763640033100'

  async up(db: QueryRunner) {
    // Without a foreign key: a record stays when its token is deleted.
    for (const table of tables) {
      await db.query(`ALTER TABLE ${table} ADD COLUMN token_id text`)
      await db.query(`CREATE INDEX ${table}_created_at ON ${table} (project_id, created_at, id)`)
    }
    await db.query('ALTER TABLE analyses ADD COLUMN user_id text')
    await db.query(`
      ALTER TABLE suggestions ADD COLUMN tokens_used integer, ADD COLUMN resolved_at timestamptz,
        ADD COLUMN resolved_by text, ADD COLUMN resolved_by_token text`)
    await db.query(`
      ALTER TABLE generated_tests ADD COLUMN tokens_used integer, ADD COLUMN dismissed_by text,
        ADD COLUMN dismissed_by_token text`)
    await db.query(
      'CREATE INDEX suggestions_resolved_at ON suggestions (project_id, resolved_at, id) WHERE resolved_at IS NOT NULL',
    )
    await db.query(
      'CREATE INDEX generated_tests_dismissed_at ON generated_tests (project_id, dismissed_at, id) WHERE dismissed_at IS NOT NULL',
    )
    // Nobody knows who resolved them, but the time is that of the last change.
    await db.query(`UPDATE suggestions SET resolved_at = updated_at WHERE status IN ('accepted', 'dismissed')`)
  }

  async down(db: QueryRunner) {
    await db.query('DROP INDEX generated_tests_dismissed_at, suggestions_resolved_at')
    await db.query(
      'ALTER TABLE generated_tests DROP COLUMN tokens_used, DROP COLUMN dismissed_by, DROP COLUMN dismissed_by_token',
    )
    await db.query(`
      ALTER TABLE suggestions DROP COLUMN tokens_used, DROP COLUMN resolved_at, DROP COLUMN resolved_by,
        DROP COLUMN resolved_by_token`)
    await db.query('ALTER TABLE analyses DROP COLUMN user_id')
    for (const table of tables) {
      await db.query(`DROP INDEX ${table}_created_at`)
      await db.query(`ALTER TABLE ${table} DROP COLUMN token_id`)
    }
  }
}
