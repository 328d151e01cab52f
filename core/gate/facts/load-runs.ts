import type { GateFacts } from '../../../engines/gate/facts.ts'
import type { Context } from '../../base/context.ts'
import type { GateRow } from '../entity.ts'

/** A run or upload of the commit that a gate judges. */
export interface GateRun {
  id: string
  name: string | null
  source: string
  type: string
  status: string
  error: { message: string } | null
  total_tests: number
  failed_tests: number
  muted_tests: number
  coverage: number | null
  /** The commit that was tested, if it is a merge of the gate's commit. */
  tested_sha: string | null
}

/** More runs of one commit are not looked at. */
const maxRuns = 200

/** Loads the runs and uploads of the commit or snapshot of a gate, the latest first. Cancelled ones do not count. */
export function loadRuns(
  { db }: Pick<Context, 'db'>,
  { projectId, subject, snapshotId }: Pick<GateRow, 'projectId' | 'subject' | 'snapshotId'>,
): Promise<GateRun[]> {
  const of = snapshotId === null ? 'commit_sha = $2 AND snapshot_id IS NULL' : 'snapshot_id = $2'
  return db.query<GateRun[]>(
    `SELECT id, name, source, type, status, error, total_tests, failed_tests, muted_tests, coverage, tested_sha
       FROM test_runs WHERE project_id = $1 AND ${of} AND status <> 'CANCELLED'
      ORDER BY ran_at DESC, id DESC LIMIT ${maxRuns}`,
    [projectId, subject],
  )
}

const hasEnded = ({ status }: GateRun) => status === 'COMPLETED' || status === 'FAILED'

/** Counts runs. A run without a result is forgiven once another one of its kind has a result. */
export function countRuns(runs: readonly GateRun[]): GateFacts['runs'] {
  const kindOf = ({ source, name, type }: GateRun) => JSON.stringify([source === 'upload', name, type])
  const latest = new Map(runs.toReversed().map((run) => [kindOf(run), run]))
  const errors = [...latest.values()].filter(({ status }) => status === 'FAILED')
  return {
    open: runs.filter((run) => !hasEnded(run)).length,
    ended: runs.filter(hasEnded).length,
    errors: errors.map(({ id, error }) => ({ id, message: error?.message ?? 'it ended without a result' })),
    withTests: runs.filter(({ total_tests }) => total_tests > 0).length,
    withCoverage: runs.filter(({ coverage }) => coverage !== null).length,
  }
}

/** Counts the uploads of a commit, and whether CI said that there are no more. */
export async function loadUploads(
  { db }: Pick<Context, 'db'>,
  { projectId, subject }: Pick<GateRow, 'projectId' | 'subject'>,
  runs: readonly GateRun[],
): Promise<GateFacts['uploads']> {
  const uploads = runs.filter(({ source }) => source === 'upload')
  const [row] = await db.query<[{ count: number; is_done: boolean }]>(
    `SELECT (SELECT count(*)::int FROM test_run_uploads WHERE run_id = ANY ($1)) AS count,
            EXISTS (SELECT FROM finished_uploads WHERE project_id = $2 AND commit_sha = $3) AS is_done`,
    [uploads.map(({ id }) => id), projectId, subject],
  )
  return {
    names: [...new Set(uploads.flatMap(({ name }) => name ?? []))],
    count: row.count,
    isDone: row.is_done,
  }
}
