import type { SelectionInput, TestHistory } from '../../engines/selection/types.ts'
import type { Context } from '../base/context.ts'

interface Row {
  file: string
  seconds: number | null
  is_flaky: boolean
  has_failed: boolean
}

/** A test that failed within this time runs for every change. */
const failedWithinDays = 14

/**
 * Loads what earlier runs say of test files: which failed lately or are flaky, and how long they usually take.
 *
 * @param exceptRun - a run whose failures do not count
 */
export async function loadKnownTests(
  { db, now }: Pick<Context, 'db' | 'now'>,
  projectId: string,
  exceptRun?: string,
): Promise<Pick<SelectionInput, 'history' | 'durations'>> {
  const rows = await db.query<Row[]>(
    `SELECT file, max(p50_ms) / 1000 AS seconds, bool_or(is_flaky) AS is_flaky, bool_or(has_failed) AS has_failed
       FROM (SELECT file, sum(p50_ms) AS p50_ms, bool_or(health = 'flaky') AS is_flaky,
                    bool_or(health = 'broken' OR ((last_failure->>'at')::timestamptz > $2 AND last_failure->>'runId' IS DISTINCT FROM $3)) AS has_failed
               FROM tests WHERE project_id = $1 AND file IS NOT NULL AND health <> 'stale' AND merged_into IS NULL
              GROUP BY file, variant) AS by_variant
      GROUP BY file`,
    [projectId, new Date(now().getTime() - failedWithinDays * 86_400_000), exceptRun ?? null],
  )
  const history = new Map<string, TestHistory>()
  const durations = new Map<string, number>()
  for (const { file, seconds, is_flaky: isFlaky, has_failed: hasFailed } of rows) {
    if (isFlaky || hasFailed) history.set(file, { isFlaky, hasFailed: hasFailed ?? false })
    if (seconds !== null) durations.set(file, seconds)
  }
  return { history, durations }
}
