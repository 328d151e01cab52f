import type { Client } from 'pg'
import type { EntityManager } from 'typeorm'
import { createPartitions, resultsTable } from '../../core/test-runs/results/partitions.ts'

export interface Size {
  tests: number
  runsPerDay: number
  days: number
}

const dayMs = 86_400_000

/**
 * Fills a project with runs of its default branch, and partitions of the weeks before this one, as a server that has run
 * for so long would have them. 2 % of the tests fail in 3 % of their runs, 5 have been failing for two days.
 *
 * @returns the number of results
 */
export async function fillResults(
  db: Client,
  manager: EntityManager,
  { projectId, userId }: { projectId: string; userId: string },
  { tests, runsPerDay, days }: Size,
): Promise<number> {
  await db.query('DROP TABLE test_results_before')
  for (const { name } of (await weekly(db)).rows) await db.query(`DROP TABLE ${name}`)
  const now = Date.now()
  for (let day = days + 1; day >= 0; day--) await createPartitions(manager, resultsTable, new Date(now - day * dayMs))
  // Loading is faster without the indexes; Postgres builds them at the end.
  await db.query('DROP INDEX test_results_history, test_results_notable')
  await db.query(
    `CREATE UNLOGGED TABLE filled AS
     SELECT n, substr(encode(sha256(convert_to('["' || suite || '","' || name || '"]', 'UTF8')), 'hex'), 1, 32)::uuid AS test_id,
            suite, name, 'src/part-' || n % 20 || '/file-' || n / 20 || '.test.ts' AS file
       FROM (SELECT n, 'suite ' || n / 20 AS suite, 'does what number ' || n || ' is about' AS name
               FROM generate_series(1, $1::int) AS n) AS named`,
    [tests],
  )
  const step = dayMs / runsPerDay
  for (let day = days; day > 0; day--) {
    const runs = Array.from({ length: runsPerDay }, (_, index) => {
      const at = new Date(now - day * dayMs + index * step)
      return {
        at,
        id: `${resultsTable.keyOf(at)}${String(index).padStart(16, '0')}`,
        number: (days - day) * runsPerDay + index,
      }
    })
    await db.query(
      `INSERT INTO test_runs (id, project_id, user_id, status, type, source, branch, commit_sha, with_secrets, total_tests,
                              created_at, ran_at, completed_at, failures)
       SELECT w.id, $1, $2, 'COMPLETED', 'ALL', 'upload', 'main', md5(w.id) || '00000000', true, $3, w.at, w.at, w.at, NULL
         FROM unnest($4::text[], $5::timestamptz[]) AS w (id, at)`,
      [projectId, userId, tests, runs.map(({ id }) => id), runs.map(({ at }) => at)],
    )
    await db.query(
      `INSERT INTO test_results (run_id, position, test_id, suite, name, file, line, status, duration_ms, message, flaky, error_id)
       SELECT id, n, test_id, suite, name, file, 10, CASE WHEN failed THEN 'failed' ELSE 'passed' END,
              (20 + n % 100) * (0.8 + 0.4 * random()), CASE WHEN failed THEN 'expected 1 to be 2 in test ' || n END, false,
              CASE WHEN failed THEN md5(n::text)::uuid END
         FROM (SELECT w.id, f.*, (n % 50 = 0 AND random() < 0.03) OR (n % 2000 = 7 AND w.number > $3) AS failed
                 FROM unnest($1::text[], $2::int[]) AS w (id, number) CROSS JOIN filled AS f OFFSET 0) AS made`,
      [runs.map(({ id }) => id), runs.map(({ number }) => number), (days - 2) * runsPerDay],
    )
  }
  await db.query("SET maintenance_work_mem = '1GB'")
  await db.query(
    'CREATE INDEX test_results_history ON test_results (test_id, run_id) INCLUDE (variant, status, flaky, muted, error_id, duration_ms)',
  )
  await db.query(
    `CREATE INDEX test_results_notable ON test_results (run_id, position) WHERE status = 'failed' OR flaky`,
  )
  await db.query(
    `UPDATE test_runs AS run SET failed_tests = failed.tests, passed_tests = total_tests - failed.tests, health_pending = true
       FROM (SELECT run_id, count(*) AS tests FROM test_results WHERE status = 'failed' GROUP BY run_id) AS failed
      WHERE failed.run_id = run.id`,
  )
  await db.query('VACUUM ANALYZE test_results')
  await db.query('VACUUM ANALYZE test_runs')
  return tests * runsPerDay * days
}

const weekly = (db: Client) =>
  db.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits
      WHERE inhparent = 'test_results'::regclass AND inhrelid::regclass::text ~ '_[0-9]{8}$'`,
  )
