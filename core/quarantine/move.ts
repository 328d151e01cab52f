import type { Context } from '../base/context.ts'

/**
 * Gives the open quarantines of a test to the one that it was merged into, in the caller's transaction. Where that has one
 * of its own, the other ends.
 */
export async function moveQuarantines(
  { db, now }: Pick<Context, 'db' | 'now'>,
  projectId: string,
  { from, into }: { from: string; into: string },
): Promise<void> {
  await db.query(
    `UPDATE quarantines AS q
        SET status = CASE q.status WHEN 'active' THEN 'released' ELSE 'rejected' END, ended_at = $4,
            end_reason = 'The test was merged into another, which has its own.'
      WHERE project_id = $1 AND test_id = $2 AND status IN ('requested', 'active')
        AND EXISTS (SELECT FROM quarantines WHERE project_id = $1 AND test_id = $3 AND status = q.status
                       AND variant IS NOT DISTINCT FROM q.variant)`,
    [projectId, from, into, now()],
  )
  await db.query(
    `UPDATE quarantines AS q SET test_id = $3, suite = t.suite, name = t.name, file = t.file
       FROM (SELECT suite, name, file FROM tests WHERE project_id = $1 AND test_id = $3 LIMIT 1) AS t
      WHERE q.project_id = $1 AND q.test_id = $2 AND q.status IN ('requested', 'active')`,
    [projectId, from, into],
  )
}
