import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Partitions the results of tests by the id of their run, which begins with the time of its creation. Rows of earlier
 * versions stay in the partition `test_results_before`; `core/test-runs/results/partitions.ts` creates the others.
 */
export class PartitionedResults1763640036000 implements MigrationInterface {
  name = 'PartitionedResults1763640036000'

  async up(db: QueryRunner) {
    await db.query(`
      ALTER TABLE test_runs
        ADD COLUMN ran_at timestamptz,
        ADD COLUMN muted_tests integer NOT NULL DEFAULT 0,
        ADD COLUMN results_deleted boolean NOT NULL DEFAULT false`)
    await db.query('CREATE INDEX test_runs_with_results ON test_runs (project_id, id) WHERE NOT results_deleted')
    await db.query('UPDATE test_runs SET ran_at = created_at')
    await db.query('ALTER TABLE test_runs ALTER COLUMN ran_at SET NOT NULL')
    await db.query(`
      ALTER TABLE test_results
        ADD COLUMN variant text NOT NULL DEFAULT '',
        ADD COLUMN muted boolean NOT NULL DEFAULT false`)
    await db.query('ALTER TABLE test_results RENAME TO test_results_before')
    await db.query('ALTER INDEX test_results_pkey RENAME TO test_results_before_pkey')
    await db.query('ALTER INDEX test_results_notable RENAME TO test_results_before_notable')
    await db.query('DROP INDEX test_results_history')
    await db.query(`
      CREATE TABLE test_results (
        LIKE test_results_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
        PRIMARY KEY (run_id, position),
        CONSTRAINT test_results_run_id_fkey FOREIGN KEY (run_id) REFERENCES test_runs ON DELETE CASCADE
      ) PARTITION BY RANGE (run_id)`)
    // The history of a test is read from the index alone.
    await db.query(
      'CREATE INDEX test_results_history ON test_results (test_id, run_id) INCLUDE (variant, status, flaky, muted, error_id, duration_ms)',
    )
    await db.query(
      `CREATE INDEX test_results_notable ON test_results (run_id, position) WHERE status = 'failed' OR flaky`,
    )
    // Every id of a run from before this moment sorts before the first one after it.
    const [{ bound }] = (await db.query(`SELECT substr(new_ulid(now() + interval '1 minute'), 1, 10) AS bound`)) as [
      { bound: string },
    ]
    await db.query(
      `ALTER TABLE test_results ATTACH PARTITION test_results_before FOR VALUES FROM (MINVALUE) TO ('${bound}')`,
    )
    // Catches rows for which no other partition exists yet.
    await db.query('CREATE TABLE test_results_other PARTITION OF test_results DEFAULT')
  }

  async down(db: QueryRunner) {
    await db.query('CREATE TABLE whole_results (LIKE test_results INCLUDING DEFAULTS)')
    await db.query('INSERT INTO whole_results SELECT * FROM test_results')
    await db.query('DROP TABLE test_results')
    await db.query('ALTER TABLE whole_results RENAME TO test_results')
    await db.query(`
      ALTER TABLE test_results
        DROP COLUMN variant, DROP COLUMN muted,
        ADD CONSTRAINT test_results_pkey PRIMARY KEY (run_id, position),
        ADD CONSTRAINT test_results_run_id_fkey FOREIGN KEY (run_id) REFERENCES test_runs ON DELETE CASCADE`)
    await db.query('CREATE INDEX test_results_history ON test_results (test_id, run_id)')
    await db.query(
      `CREATE INDEX test_results_notable ON test_results (run_id, position) WHERE status = 'failed' OR flaky`,
    )
    await db.query('ALTER TABLE test_runs DROP COLUMN ran_at, DROP COLUMN muted_tests, DROP COLUMN results_deleted')
  }
}
