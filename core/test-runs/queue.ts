import type { Context } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { TestRunRow } from './entity.ts'
import type { QueuePlace } from './schema.ts'

export const runQueue = 'test-runs'

const maxWaitingOfProject = 50
/** Applies to all projects of an organization, or to all personal projects of a user. */
const maxWaitingOfOwner = 200

type Owned = Pick<ProjectRow, 'id' | 'userId' | 'organizationId'>

const ofSameOwner = `CASE WHEN $2::text IS NULL THEN p.user_id = $1 AND p.organization_id IS NULL
                          ELSE p.organization_id = $2 END`

/** Rejects a run if the project or its owner has too many queued runs, because all owners share the queue. */
export async function requireRoomForRun(tx: Context, { id, userId, organizationId }: Owned): Promise<void> {
  const [{ ofProject, ofOwner }] = await tx.db.query<[{ ofProject: number; ofOwner: number }]>(
    `SELECT count(*) FILTER (WHERE r.project_id = $3)::int AS "ofProject", count(*)::int AS "ofOwner"
       FROM test_runs r JOIN projects p ON p.id = r.project_id WHERE r.status = 'PENDING' AND ${ofSameOwner}`,
    [userId, organizationId, id],
  )
  if (ofProject >= maxWaitingOfProject || ofOwner >= maxWaitingOfOwner) {
    const subject =
      ofProject >= maxWaitingOfProject ? `This project has ${ofProject}` : `The owner of this project has ${ofOwner}`
    throw conflict(
      `${subject} queued runs, which is the maximum. Cancel some with testRuns.cancel, or try again later.`,
      procedureHint('testRuns.cancel'),
    )
  }
}

/** Returns the position of a queued run, or null if the run is not queued. */
export async function placeInQueue(ctx: Context, row: TestRunRow, project: Owned): Promise<QueuePlace | null> {
  if (row.status !== 'PENDING') return null
  const { runConcurrency, runsPerOwner } = ctx.config.runs
  const [counts] = await ctx.db.query<[{ ahead: number; running: number; own: number }]>(
    `SELECT count(*) FILTER (WHERE r.status = 'PENDING' AND r.id < $3)::int AS ahead,
            count(*) FILTER (WHERE r.status = 'RUNNING')::int AS running,
            count(*) FILTER (WHERE r.status = 'RUNNING' AND ${ofSameOwner})::int AS own
       FROM test_runs r JOIN projects p ON p.id = r.project_id WHERE r.status IN ('PENDING', 'RUNNING')`,
    [project.userId, project.organizationId, row.id],
  )
  const { ahead, running, own } = counts
  const owner = project.organizationId === null ? 'your projects' : 'the organization'
  const reason =
    own >= runsPerOwner
      ? `${own} ${own === 1 ? 'run' : 'runs'} of ${owner} ${own === 1 ? 'is' : 'are'} running, which is the maximum.`
      : running >= runConcurrency || ahead > 0
        ? `Running: ${running}. ${ahead === 0 ? 'This run is next.' : `Queued before this run: ${ahead}.`}`
        : 'The run starts as soon as a worker is free.'
  return { position: ahead + 1, running, reason }
}
