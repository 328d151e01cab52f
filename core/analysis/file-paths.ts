import type { Context } from '../base/context.ts'

/** Reads the paths of all files at the latest completed analysis of the project's repository; empty without one. */
export async function latestFilePaths(ctx: Pick<Context, 'db'>, projectId: string): Promise<string[]> {
  const [row] = await ctx.db.query<{ paths: string[] }[]>(
    `SELECT jsonb_path_query_array(result, '$.files[*].path') AS paths FROM analyses
      WHERE project_id = $1 AND status = 'completed' AND snapshot_id IS NULL ORDER BY id DESC LIMIT 1`,
    [projectId],
  )
  return row?.paths ?? []
}
