import type { MigrationInterface, QueryRunner } from 'typeorm'

export class SearchedCommits1763640034000 implements MigrationInterface {
  name = 'SearchedCommits1763640034000'

  async up(db: QueryRunner) {
    // For searches by the beginning of a commit id.
    for (const table of ['test_runs', 'analyses']) {
      await db.query(`CREATE INDEX ${table}_commit ON ${table} (project_id, commit_sha text_pattern_ops)`)
    }
  }

  async down(db: QueryRunner) {
    await db.query('DROP INDEX test_runs_commit, analyses_commit')
  }
}
