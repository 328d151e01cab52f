import type { Context } from '../base/context.ts'
import { endExpired } from './expire.ts'

interface Merge {
  from: string
  into: string
}

/**
 * Gives the open quarantines of a test to the one that it was merged into, in the caller's transaction. Where both have one,
 * one ends: what Assay muted by itself before what a person granted, and then the one of the earlier name.
 */
export async function moveQuarantines(ctx: Context, projectId: string, { from, into }: Merge): Promise<void> {
  await endExpired(ctx, projectId, [from, into])
  const own = "status = 'active' AND decided_by IS NULL"
  await end(
    ctx,
    projectId,
    { from: into, into: from },
    own,
    `${covers} AND status = 'active' AND decided_by IS NOT NULL`,
  )
  await end(ctx, projectId, { from, into }, own, `${covers} AND status = 'active'`)
  await end(ctx, projectId, { from, into }, 'true', 'variant IS NOT DISTINCT FROM q.variant AND status = q.status')
  await ctx.db.query(
    `UPDATE quarantines AS q SET test_id = $3, suite = t.suite, name = t.name, file = t.file
       FROM (SELECT suite, name, file FROM tests WHERE project_id = $1 AND test_id = $3 LIMIT 1) AS t
      WHERE q.project_id = $1 AND q.test_id = $2 AND q.status IN ('requested', 'active')`,
    [projectId, from, into],
  )
}

const covers = '(variant IS NULL OR variant = q.variant)'

/** Ends the open quarantines `q` of one test that meet a condition if one of the other test meets the second. */
async function end(
  { db, now }: Pick<Context, 'db' | 'now'>,
  projectId: string,
  { from, into }: Merge,
  condition: string,
  other: string,
): Promise<void> {
  await db.query(
    `UPDATE quarantines AS q
        SET status = CASE q.status WHEN 'active' THEN 'released' ELSE 'rejected' END, ended_at = $4,
            end_reason = 'Two tests were merged, and the other one has a quarantine.'
      WHERE project_id = $1 AND test_id = $2 AND status IN ('requested', 'active') AND ${condition}
        AND EXISTS (SELECT FROM quarantines WHERE project_id = $1 AND test_id = $3 AND ${other})`,
    [projectId, from, into, now()],
  )
}
