import type { DataSource, EntityManager } from 'typeorm'
import { z } from 'zod'
import type { Context, Services } from '../base/context.ts'
import { AppError } from '../base/errors.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { ProjectEntity } from './entity.ts'
import { asLinkedUser } from '../code-host/client.ts'
import { findReader, placeOnCodeHost } from '../code-host/repository-access.ts'

const commitStatusQueue = 'commit-status'

export const CommitStatus = z.object({
  projectId: z.string(),
  commitSha: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
  /** Identifies the reporter. For each context of a commit the code host shows the latest state. */
  context: z.string().min(1).max(255),
  state: z.enum(['pending', 'success', 'failure', 'error']),
  description: z.string(),
  targetUrl: z.url({ protocol: /^https?$/ }).nullable(),
})
export type CommitStatus = z.infer<typeof CommitStatus>

/** The limit of GitHub. */
const maxDescription = 140

interface Waiting extends Pick<CommitStatus, 'state' | 'description'> {
  target_url: string | null
  version: number
}

interface StatusJob extends Pick<CommitStatus, 'projectId' | 'commitSha' | 'context'> {
  version: number
}

/**
 * Posts a commit status if, and only if, the caller's transaction commits. A later status replaces one that still waits,
 * and an earlier one never arrives last.
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

/** Posts waiting commit statuses with the account of the user who chose the project's repository. */
export function commitStatusJob(services: Services, dataSource: DataSource): JobKind<StatusJob> {
  return {
    queue: commitStatusQueue,
    retryLimit: 8,
    retryDelaySeconds: 5,
    heartbeatSeconds: 10,
    expireInSeconds: 120,
    concurrency: 2,
    handle: (job, signal) => dataSource.transaction((db) => postLatest(services, dataSource, db, job, signal)),
    onExhausted: (job) => abandon(services, dataSource.manager, job, 'the code host was unavailable for too long'),
  }
}

async function postLatest(
  services: Services,
  dataSource: DataSource,
  db: EntityManager,
  job: StatusJob,
  signal: AbortSignal,
): Promise<void> {
  // One post at a time, so that no earlier status arrives last. A row lock would block the transaction that reports next.
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
  // The repository is not at the code host, so the status cannot be posted.
  if (!at) return forget(db, { ...job, version: waiting.version })
  if (reader === undefined)
    return abandon(services, db, { ...job, version: waiting.version }, 'no linked account may post it')
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
    return abandon(services, db, { ...job, version: waiting.version }, error.message)
  }
  await forget(db, { ...job, version: waiting.version })
}

/** A status that cannot be posted must not fail anything, so it is only logged. */
async function abandon({ log }: Services, db: EntityManager, job: StatusJob, reason: string): Promise<void> {
  log.warn({ ...job, reason }, 'gave up posting a commit status')
  await forget(db, job)
}

/** Deletes the status unless a newer one has replaced it. */
async function forget(db: EntityManager, { projectId, commitSha, context, version }: StatusJob): Promise<void> {
  await db.query(
    'DELETE FROM commit_statuses WHERE project_id = $1 AND commit_sha = $2 AND context = $3 AND version <= $4',
    [projectId, commitSha, context, version],
  )
}
