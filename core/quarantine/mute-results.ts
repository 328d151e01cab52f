import type { Context } from '../base/context.ts'

interface Run {
  id: string
  projectId: string
}

/**
 * Marks the failures of tests in quarantine, also under names that were merged into theirs, in the caller's transaction. Call it after the ids of the tests are final.
 *
 * @param position - the first result to look at
 * @returns the number of marked failures
 */
export async function muteResults(
  { db, now }: Pick<Context, 'db' | 'now'>,
  run: Run,
  position: number,
): Promise<number> {
  const [, count] = await db.query<[unknown, number]>(
    `WITH active AS (
       SELECT test_id, variant FROM quarantines WHERE project_id = $3 AND status = 'active' AND expires_at > $4),
     quarantined AS (
       SELECT test_id, variant FROM active
        UNION
       SELECT t.test_id, active.variant FROM active JOIN tests AS t ON t.project_id = $3 AND t.merged_into = active.test_id)
     UPDATE test_results AS r SET muted = true
       FROM quarantined AS q
      WHERE r.run_id = $1 AND r.position >= $2 AND r.status = 'failed' AND NOT r.muted
        AND q.test_id = r.test_id AND (q.variant IS NULL OR q.variant = r.variant)`,
    [run.id, position, run.projectId, now()],
  )
  return count
}
