import { reachToBytes, type SeenReach } from '../../engines/selection/reach-record.ts'
import { type Changes, RepositoryError } from '../../engines/source/types.ts'
import type { Context } from '../base/context.ts'
import { withRetry } from '../base/retry.ts'
import type { OpenedSource } from '../workspaces/source.ts'
import type { SelectionOverview } from './schema.ts'

/** What test files of the project's branch were last seen to run, as stored. */
export interface StoredReach {
  commitSha: string
  record: Uint8Array
}

/** Replaces what the test files of the project's branch were seen to run. Stores nothing if the project was deleted. */
export async function storeReach(
  ctx: Context,
  projectId: string,
  { commitSha, ...seen }: SeenReach & { commitSha: string },
): Promise<void> {
  const record = await reachToBytes(seen)
  if (record === null || seen.tests.length === 0) return
  await withRetry(() =>
    ctx.db.query(
      `INSERT INTO measured_reaches (project_id, commit_sha, tests, record, measured_at)
       SELECT id, $2, $3, $4, $5 FROM projects WHERE id = $1 FOR KEY SHARE
       ON CONFLICT (project_id) DO UPDATE
         SET commit_sha = excluded.commit_sha, tests = excluded.tests, record = excluded.record, measured_at = excluded.measured_at`,
      [projectId, commitSha, seen.tests.length, record, ctx.now()],
    ),
  )
}

export async function loadReach({ db }: Pick<Context, 'db'>, projectId: string): Promise<StoredReach | undefined> {
  const [row] = await db.query<StoredReach[]>(
    'SELECT commit_sha AS "commitSha", record FROM measured_reaches WHERE project_id = $1',
    [projectId],
  )
  return row
}

export async function describeReach(
  { db }: Pick<Context, 'db'>,
  projectId: string,
): Promise<SelectionOverview['reach']> {
  const [row] = await db.query<{ commitSha: string; measuredAt: Date; testFiles: number }[]>(
    `SELECT commit_sha AS "commitSha", measured_at AS "measuredAt", tests AS "testFiles"
       FROM measured_reaches WHERE project_id = $1`,
    [projectId],
  )
  return row ? { ...row, measuredAt: row.measuredAt.toISOString() } : null
}

/** Adds what changed since the measurement; undefined if the state is not on top of the commit that was measured. */
export async function withChanges(
  source: OpenedSource,
  reach: StoredReach | undefined,
): Promise<(StoredReach & { changes: Changes }) | undefined> {
  if (!reach) return undefined
  try {
    const { baseSha, changes } = await source.changesOnTopOf(reach.commitSha)
    return baseSha === reach.commitSha ? { ...reach, changes } : undefined
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error
    return undefined
  }
}
