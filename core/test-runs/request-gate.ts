import type { Context } from '../base/context.ts'
import { newId } from '../base/ids.ts'
import { loadGatePolicy } from '../gate-policy/load.ts'

/** The queue of `core/gate/job.ts`. A job says that a gate may have to be decided anew. */
export const gateQueue = 'gate'

type Tx = Pick<Context, 'db' | 'jobs' | 'now'>

/** What a gate is about. */
export interface WantedGate {
  projectId: string
  /** The commit; null for a snapshot. */
  commitSha: string | null
  snapshotId: string | null
  branch: string | null
  pullRequest: number | null
  /** The branch, tag or commit to compare with. */
  base: string
}

/**
 * Finds or creates the gate of a commit or snapshot, in the caller's transaction, and requests a decision.
 *
 * @returns the id of the gate; null if the project has switched the gate off
 */
export async function openGate(tx: Tx, wanted: WantedGate, { evenIfOff = false } = {}): Promise<string | null> {
  const { projectId, commitSha, snapshotId, branch, pullRequest, base } = wanted
  const policy = await loadGatePolicy(tx, projectId)
  if (policy.mode === 'off' && !evenIfOff) return null
  const now = tx.now()
  const deadline = new Date(now.getTime() + policy.deadlineMinutes * 60_000)
  const [{ id }] = await tx.db.query<[{ id: string }]>(
    `INSERT INTO gates AS g (id, project_id, subject, base, head_sha, snapshot_id, branch, pull_request, state, mode,
                             requests, deadline_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', $9, 0, $10, $11, $11)
     ON CONFLICT (project_id, subject, base) DO UPDATE
        SET branch = coalesce($7, g.branch), pull_request = coalesce($8, g.pull_request)
     RETURNING id`,
    [
      newId(now),
      projectId,
      snapshotId ?? commitSha,
      base,
      commitSha,
      snapshotId,
      branch,
      pullRequest,
      policy.mode,
      deadline,
      now,
    ],
  )
  await requestGate(tx, id)
  return id
}

/** A commit or a snapshot, of which something changed that gates judge. */
interface Subject {
  projectId: string
  commitSha: string | null
  snapshotId: string | null
}

/** Requests that the gates of a commit or snapshot are decided anew, in the caller's transaction. */
export async function requestGates(tx: Tx, { projectId, commitSha, snapshotId }: Subject): Promise<void> {
  const subject = snapshotId ?? commitSha
  if (subject === null) return
  await enqueue(tx, 'project_id = $1 AND subject = $2', [projectId, subject])
}

/** Requests one gate, in the caller's transaction. */
export const requestGate = (tx: Tx, gateId: string): Promise<void> => enqueue(tx, 'id = $1', [gateId])

/** Requests the gates of a project that wait, and the latest ones, because the rules changed. */
export const requestGatesOfProject = (tx: Tx, projectId: string): Promise<void> =>
  enqueue(
    tx,
    `project_id = $1 AND (state = 'pending' OR id IN (SELECT id FROM gates WHERE project_id = $1 ORDER BY id DESC LIMIT 20))`,
    [projectId],
  )

async function enqueue(tx: Tx, condition: string, parameters: unknown[]): Promise<void> {
  // In the order of ids, so that two transactions cannot wait for each other.
  const gates = await tx.db.query<{ id: string }[]>(
    `WITH requested AS (SELECT id FROM gates WHERE ${condition} ORDER BY id FOR NO KEY UPDATE),
          counted AS (UPDATE gates SET requests = requests + 1 WHERE id IN (SELECT id FROM requested) RETURNING id)
     SELECT id FROM counted`,
    parameters,
  )
  for (const { id } of gates) await tx.jobs.enqueue(tx.db, gateQueue, { gateId: id }, { group: id })
}
