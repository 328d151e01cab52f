import type { Context } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { TestRunRow } from './entity.ts'
import type { QueuePlace } from './schema.ts'

export const runQueue = 'test-runs'

const maxWaitingOfProject = 50
/** Of all projects of an organization, or of all personal ones of a user. */
const maxWaitingOfOwner = 200

type Owned = Pick<ProjectRow, 'id' | 'userId' | 'organizationId'>

/** Whose runs take turns: those of an organization, or all personal ones of a user. */
export const ownerOf = ({ organizationId, userId }: Omit<Owned, 'id'>) => organizationId ?? userId

const ofSameOwner = `CASE WHEN $2::text IS NULL THEN p.user_id = $1 AND p.organization_id IS NULL
                          ELSE p.organization_id = $2 END`

/** Nobody can fill the queue that everybody shares. */
export async function requireRoomForRun(tx: Context, { id, userId, organizationId }: Owned): Promise<void> {
  const [{ ofProject, ofOwner }] = await tx.db.query<[{ ofProject: number; ofOwner: number }]>(
    `SELECT count(*) FILTER (WHERE r.project_id = $3)::int AS "ofProject", count(*)::int AS "ofOwner"
       FROM test_runs r JOIN projects p ON p.id = r.project_id WHERE r.status = 'PENDING' AND ${ofSameOwner}`,
    [userId, organizationId, id],
  )
  if (ofProject >= maxWaitingOfProject || ofOwner >= maxWaitingOfOwner) {
    const whose = ofProject >= maxWaitingOfProject ? `This project has ${ofProject}` : `Its owner has ${ofOwner}`
    throw conflict(
      `${whose} runs waiting already. Cancel some with testRuns.cancel, or ask again later.`,
      procedureHint('testRuns.cancel'),
    )
  }
}

/** Where a waiting run stands; null for one that waits no more. */
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
  const owner = project.organizationId === null ? 'your projects' : 'its organization'
  const reason =
    own >= runsPerOwner
      ? `As many runs of ${owner} are under way as may be at once: ${own}.`
      : running >= runConcurrency || ahead > 0
        ? `Under way: ${running}. Waiting before it: ${ahead}.`
        : 'It starts as soon as a worker takes it up.'
  return { position: ahead + 1, running, reason }
}
