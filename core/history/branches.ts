import { containsText } from '../base/contains-text.ts'
import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import type { TestRunRow } from '../test-runs/entity.ts'
import { reportedStatus } from '../test-runs/present.ts'
import type { Branches, ListBranches } from './schema.ts'

type Row = Pick<TestRunRow, 'status' | 'failedTests' | 'createdAt'> & { name: string; runId: string }

/** Lists the branches that have runs, each with its latest run. The branch with the newest run comes first. */
export async function listBranches(ctx: Context, input: ListBranches): Promise<Branches> {
  const { search = '', limit } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  // Each step looks up the next name in the index, because a branch can have thousands of runs.
  const ofProject = 'project_id = $1 AND snapshot_id IS NULL'
  const rows = await ctx.db.query<Row[]>(
    `WITH RECURSIVE names AS (
       (SELECT branch FROM test_runs WHERE ${ofProject} AND branch IS NOT NULL ORDER BY branch LIMIT 1)
       UNION ALL
       SELECT (SELECT branch FROM test_runs WHERE ${ofProject} AND branch > names.branch ORDER BY branch LIMIT 1)
         FROM names WHERE names.branch IS NOT NULL)
     SELECT names.branch AS name, run.*
       FROM names
      CROSS JOIN LATERAL (
        SELECT id AS "runId", status, failed_tests AS "failedTests", created_at AS "createdAt"
          FROM test_runs WHERE ${ofProject} AND branch = names.branch ORDER BY id DESC LIMIT 1) AS run
      WHERE $2 = '' OR ${containsText('names.branch', '$2')}
      ORDER BY run."runId" DESC LIMIT $3`,
    [project.id, search, limit],
  )
  return {
    branches: rows.map((row) => ({
      name: row.name,
      runId: row.runId,
      reportedStatus: reportedStatus(row),
      createdAt: row.createdAt.toISOString(),
    })),
  }
}
