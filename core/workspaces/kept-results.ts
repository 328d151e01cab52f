import type { Context } from '../base/context.ts'
import { storableJson } from '../base/storable-json.ts'

/** A larger result is not stored, but measured every time. */
const maxStoredBytes = 32 * 2 ** 20
const maxKept = 20

/** Loads the results of a project's own tests that an earlier run under the same conditions stored. */
export async function loadKeptResult<Result>(
  ctx: Context,
  projectId: string,
  key: string,
): Promise<Result | undefined> {
  const [row] = await ctx.db.query<{ result: Result }[]>(
    'SELECT result FROM verification_baselines WHERE project_id = $1 AND content_key = $2',
    [projectId, key],
  )
  return row?.result
}

/** Stores results and deletes the oldest ones of the project. Stores nothing if the project was deleted. */
export async function storeKeptResult(ctx: Context, projectId: string, key: string, result: unknown): Promise<void> {
  const json = storableJson(result)
  if (json.length > maxStoredBytes) return
  await ctx.db.query(
    `INSERT INTO verification_baselines (project_id, content_key, result, created_at)
     SELECT id, $2, $3, $4 FROM projects WHERE id = $1 FOR KEY SHARE
     ON CONFLICT (project_id, content_key) DO UPDATE SET result = excluded.result, created_at = excluded.created_at`,
    [projectId, key, json, ctx.now()],
  )
  await ctx.db.query(
    `DELETE FROM verification_baselines WHERE project_id = $1 AND content_key NOT IN
       (SELECT content_key FROM verification_baselines WHERE project_id = $1 ORDER BY created_at DESC LIMIT $2)`,
    [projectId, maxKept],
  )
}
