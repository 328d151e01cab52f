import type { MigrationInterface, QueryRunner } from 'typeorm'

export class KeptTests1763640033200 implements MigrationInterface {
  name = 'KeptTests1763640033200'

  async up(db: QueryRunner) {
    // The files whose tests a run reported. Runs are deleted only with their project.
    await db.query(`
      CREATE TABLE test_run_files (
        project_id text NOT NULL REFERENCES projects ON DELETE CASCADE,
        file text NOT NULL,
        run_id text NOT NULL,
        tests integer NOT NULL,
        failed integer NOT NULL,
        PRIMARY KEY (project_id, file, run_id)
      )`)
    // As core/test-runs/results/store-files.ts does.
    await db.query(`
      INSERT INTO test_run_files (project_id, file, run_id, tests, failed)
      SELECT run.project_id, result.file, run.id, count(*), count(*) FILTER (WHERE result.status = 'failed')
        FROM test_runs AS run JOIN test_results AS result ON result.run_id = run.id
       WHERE run.snapshot_id IS NULL AND octet_length(result.file) <= 1024
       GROUP BY run.project_id, result.file, run.id`)
    // The evidence is too large to be read for every verification of a project.
    await db.query(`
      ALTER TABLE verifications
        ADD COLUMN test_key uuid GENERATED ALWAYS AS (md5(file_path || E'\\n' || code)::uuid) STORED,
        ADD COLUMN gains_coverage boolean NOT NULL GENERATED ALWAYS AS (
          coalesce(evidence #>> '{coverage,newTargetLines}', '') <> ''
          OR coalesce(evidence #> '{coverage,newTargetBranches}' > '0', false)
          OR coalesce(evidence #> '{coverage,newProjectLines}' > '0', false)
          OR coalesce(evidence #> '{coverage,newProjectBranches}' > '0', false)) STORED,
        ADD COLUMN kills_mutants boolean NOT NULL GENERATED ALWAYS AS (
          coalesce(evidence #> '{mutation,killed}' > '0', false)) STORED`)
  }

  async down(db: QueryRunner) {
    await db.query(
      'ALTER TABLE verifications DROP COLUMN test_key, DROP COLUMN gains_coverage, DROP COLUMN kills_mutants',
    )
    await db.query('DROP TABLE test_run_files')
  }
}
