import type { DataSource, EntityManager } from 'typeorm'
import { z } from 'zod'
import type { Context, Services } from '../base/context.ts'
import { AppError } from '../base/errors.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { ProjectEntity } from './entity.ts'
import { asLinkedUser } from '../code-host/client.ts'
import { findReader, placeOnCodeHost } from '../code-host/repository-access.ts'

const commitStatusQueue = 'commit-status'

/** What the code host shows beside a commit. */
export const CommitStatus = z.object({
  projectId: z.string(),
  commitSha: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
  /** Tells apart what reports on one commit; of each, the code host shows the latest state. */
  context: z.string().min(1).max(255),
  state: z.enum(['pending', 'success', 'failure', 'error']),
  description: z.string(),
  targetUrl: z.url({ protocol: /^https?$/ }).nullable(),
})
export type CommitStatus = z.infer<typeof CommitStatus>

/** GitHub takes no more. */
const maxDescription = 140

interface Waiting extends Pick<CommitStatus, 'state' | 'description'> {
  target_url: string | null
  version: number
}

interface StatusJob extends Pick<CommitStatus, 'projectId' | 'commitSha' | 'context'> {
  version: number
}

/**
 * Has a state shown beside a commit if, and only if, the caller's transaction commits. What comes later replaces what
 * still waits and is never overtaken by it.
 */
export async function postCommitStatus(ctx: Pick<Context, 'db' | 'jobs'>, status: CommitStatus): Promise<void> {
  const { projectId, commitSha, context, state, description, targetUrl } = CommitStatus.parse(status)
  const shown = description.length > maxDescription ? `${description.slice(0, maxDescription - 1)}…` : description
  const [posted] = await ctx.db.query<[Pick<Waiting, 'version'>]>(
    `INSERT INTO commit_statuses AS s (project_id, commit_sha, context, state, description, target_url, version)
     VALUES ($1, $2, $3, $4, $5, $6, 1)
     ON CONFLICT (project_id, commit_sha, context) DO UPDATE
        SET state = $4, description = $5, target_url = $6, version = s.version + 1
     RETURNING version`,
    [projectId, commitSha, context, state, shown.toWellFormed(), targetUrl],
  )
  const job: StatusJob = { projectId, commitSha, context, version: posted.version }
  await ctx.jobs.enqueue(ctx.db, commitStatusQueue, job, { group: `${projectId}/${commitSha}/${context}` })
}

/** Posts what waits, as whoever chose the project's repository. */
export function commitStatusJob(services: Services, dataSource: DataSource): JobKind<StatusJob> {
  return {
    queue: commitStatusQueue,
    retryLimit: 8,
    retryDelaySeconds: 5,
    heartbeatSeconds: 10,
    expireInSeconds: 120,
    concurrency: 2,
    handle: (job, signal) => dataSource.transaction((db) => postLatest(services, dataSource, db, job, signal)),
    giveUp: (job) => giveUp(services, dataSource.manager, job, 'the code host was unavailable for too long'),
  }
}

async function postLatest(
  services: Services,
  dataSource: DataSource,
  db: EntityManager,
  job: StatusJob,
  signal: AbortSignal,
): Promise<void> {
  // One at a time, so that no earlier state arrives last. Not the row's lock, which who reports next would wait for.
  const place = [job.projectId, job.commitSha, job.context]
  await db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`commit_statuses/${place.join('/')}`])
  const [waiting] = await db.query<Waiting[]>(
    `SELECT state, description, target_url, version FROM commit_statuses
      WHERE project_id = $1 AND commit_sha = $2 AND context = $3`,
    place,
  )
  const project = waiting && (await db.getRepository(ProjectEntity).findOneBy({ id: job.projectId }))
  if (!project) return
  const at = placeOnCodeHost(services.config, project.repository)
  const reader = await findReader({ db }, project)
  // Its repository is elsewhere, where nobody shows states.
  if (!at) return forget(db, { ...job, version: waiting.version })
  if (reader === undefined)
    return giveUp(services, db, { ...job, version: waiting.version }, 'no linked account may post it')
  try {
    await asLinkedUser({ ...services, db: dataSource.manager, signal }, reader, (client) =>
      client.request('POST /repos/{owner}/{repo}/statuses/{sha}', {
        owner: at.owner,
        repo: at.name,
        sha: job.commitSha,
        state: waiting.state,
        description: waiting.description,
        target_url: waiting.target_url,
        context: job.context,
      }),
    )
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'TIMEOUT' || error.code === 'RATE_LIMITED') throw error
    return giveUp(services, db, { ...job, version: waiting.version }, error.message)
  }
  await forget(db, { ...job, version: waiting.version })
}

/** A state that cannot be shown is no reason to stop anything: the log says why. */
async function giveUp({ log }: Services, db: EntityManager, job: StatusJob, reason: string): Promise<void> {
  log.warn({ ...job, reason }, 'gave up posting a commit status')
  await forget(db, job)
}

/** Unless somebody has reported anew. */
async function forget(db: EntityManager, { projectId, commitSha, context, version }: StatusJob): Promise<void> {
  await db.query(
    'DELETE FROM commit_statuses WHERE project_id = $1 AND commit_sha = $2 AND context = $3 AND version <= $4',
    [projectId, commitSha, context, version],
  )
}
