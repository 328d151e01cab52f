import type { Context } from '../../base/context.ts'

const maxErrors = 50

/** Stores what runs say about outages: how many tests failed, and the errors that several of them have. */
export async function noteFailures({ db }: Pick<Context, 'db'>, runIds: readonly string[]): Promise<void> {
  await db.query(
    `WITH errors AS (
       SELECT run_id, error_id, count(DISTINCT (test_id, variant))::int AS tests
         FROM test_results WHERE run_id = ANY ($1) AND (status = 'failed' OR flaky) GROUP BY run_id, error_id
     ), ranked AS (
       SELECT *, row_number() OVER (PARTITION BY run_id ORDER BY tests DESC, error_id) AS place FROM errors
     ), summed AS (
       SELECT run_id, sum(tests)::int AS tests,
              coalesce(jsonb_object_agg(error_id, tests)
                         FILTER (WHERE tests > 1 AND error_id IS NOT NULL AND place <= ${maxErrors}), '{}') AS errors
         FROM ranked GROUP BY run_id
     )
     UPDATE test_runs AS run
        SET failures = jsonb_build_object('tests', coalesce(summed.tests, 0), 'errors', coalesce(summed.errors, '{}'))
       FROM unnest($1::text[]) AS wanted (id) LEFT JOIN summed ON summed.run_id = wanted.id
      WHERE run.id = wanted.id`,
    [runIds],
  )
}
