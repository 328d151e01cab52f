import type { DataSource, EntityManager } from 'typeorm'
import type { Services } from '../base/context.ts'
import { AppError } from '../base/errors.ts'
import type { CodeHostApi } from '../code-host/hosts/api.ts'
import { hostOf } from '../code-host-connections/host-of.ts'
import { noteProblem } from '../code-host-connections/problems.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { type Attempt, type Known, PostLater } from './attempt.ts'
import { limitedFor, noteLimit } from './limits.ts'
import { groupOf, type PostJob, type PostKey, postQueue } from './post.ts'
import { PullRequestComment, Report } from './schema.ts'
import { type KnownCheckRun, sendCheckRun } from './send-check-run.ts'
import { type KnownComment, sendComment } from './send-comment.ts'
import { type KnownStatus, sendStatus } from './send-status.ts'

/** Failures are retried after this time, doubled each time: for about 20 minutes. */
const firstRetrySeconds = 5
const maxFailures = 8
/** Rate limits of code hosts last at most an hour. */
const maxLimitedMs = 75 * 60_000

interface Waiting {
  content: unknown
  version: number
  posted_version: number
  known: (Partial<KnownCheckRun & KnownComment & KnownStatus> & { place: string }) | null
  failures: number
  failing_since: Date | null
}

/** Posts waiting reports and comments to the code hosts of their projects. */
export function postJob(services: Services, dataSource: DataSource): JobKind<PostJob> {
  return {
    queue: postQueue,
    retryLimit: 8,
    retryDelaySeconds: 5,
    heartbeatSeconds: 10,
    expireInSeconds: 600,
    concurrency: 4,
    handle: (job, signal) =>
      dataSource.transaction((lock) => postLatest(services, dataSource.manager, lock, job, signal)),
    onExhausted: (job) => abandon(services, dataSource.manager, job, 'Assay failed to post it'),
  }
}

/** Requests the posting of what waits without a job, such as after an update of Assay. */
export async function requestPendingPosts({ jobs }: Pick<Services, 'jobs'>, dataSource: DataSource): Promise<void> {
  const rows = await dataSource.query<PostJob[]>(
    `SELECT project_id AS "projectId", kind, target, version FROM code_host_posts
      WHERE posted_version < version AND failing_since IS NULL`,
  )
  for (const job of rows) await jobs.enqueue(dataSource.manager, postQueue, job, { group: groupOf(job) })
}

/**
 * @param db - writes at once, because what is known of the code host must survive this process
 * @param lock - the transaction that holds the lock of this post
 */
async function postLatest(
  services: Services,
  db: EntityManager,
  lock: EntityManager,
  job: PostJob,
  signal: AbortSignal,
): Promise<void> {
  // One call at a time, so that no earlier state arrives last. A row lock would block the transaction that posts next.
  await lock.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`code_host_posts/${groupOf(job)}`])
  const waiting = await load(db, job)
  // A later version has a job of its own.
  if (!waiting || waiting.posted_version >= waiting.version || waiting.version > job.version) return
  const project = await db.getRepository(ProjectEntity).findOneBy({ id: job.projectId })
  if (!project) return
  let host: CodeHostApi | undefined
  try {
    const found = await hostOf({ ...services, db, signal }, project)
    if (found && 'problem' in found) return await abandon(services, db, job, found.problem)
    if (found) {
      host = found
      const limited = await limitedFor(db, found.account, services.now())
      if (limited > 0) throw new PostLater(limited)
      await send(services, db, { job, waiting, host: found })
    }
    await settle(db, job)
  } catch (error) {
    if (signal.aborted) throw error
    await postponeOrAbandon(services, db, { job, waiting, account: host?.account, error })
  }
}

async function load(db: EntityManager, { projectId, kind, target }: PostKey): Promise<Waiting | undefined> {
  const [row] = await db.query<Waiting[]>(
    `SELECT content, version, posted_version, known, failures, failing_since FROM code_host_posts
      WHERE project_id = $1 AND kind = $2 AND target = $3`,
    [projectId, kind, target],
  )
  return row
}

async function send(
  { now }: Services,
  db: EntityManager,
  { job, waiting, host }: { job: PostJob; waiting: Waiting; host: CodeHostApi },
): Promise<void> {
  // The ids of another repository or account are not valid here.
  const known = waiting.known?.place === host.place ? waiting.known : {}
  const attempt = <Its extends Known>(initial: Its): Attempt<Its> => {
    const current = { ...initial, ...known }
    const remember = async (change: Partial<Its>) => {
      Object.assign(current, change)
      await db.query('UPDATE code_host_posts SET known = $4 WHERE project_id = $1 AND kind = $2 AND target = $3', [
        ...placeOf(job),
        JSON.stringify({ ...current, place: host.place }),
      ])
    }
    return { host, version: waiting.version, known: current, now, remember }
  }
  if (job.kind === 'comment') {
    const none: KnownComment = { id: null, unclear: null }
    return sendComment(attempt(none), PullRequestComment.parse(waiting.content))
  }
  const report = Report.parse(waiting.content)
  if (host.checks) {
    const none: KnownCheckRun = { check: null, chosenFor: null, unclear: null }
    return sendCheckRun(attempt(none), host.checks, report)
  }
  const none: KnownStatus = { begun: null, unclear: null }
  return sendStatus(attempt(none), report)
}

async function postponeOrAbandon(
  services: Services,
  db: EntityManager,
  { job, waiting, account, error }: { job: PostJob; waiting: Waiting; account: string | undefined; error: unknown },
): Promise<void> {
  const postpone = async (seconds: number, failures = waiting.failures, since = waiting.failing_since) => {
    await db.transaction(async (tx) => {
      await tx.query(
        `UPDATE code_host_posts SET failures = $4, failing_since = $5
          WHERE project_id = $1 AND kind = $2 AND target = $3 AND version = $6`,
        [...placeOf(job), failures, since, waiting.version],
      )
      const next: PostJob = { ...job, version: waiting.version }
      await services.jobs.enqueue(tx, postQueue, next, { group: groupOf(job), delaySeconds: seconds })
    })
  }
  if (error instanceof PostLater) return postpone(error.seconds)
  if (!(error instanceof AppError)) throw error
  const now = services.now()
  const since = waiting.failing_since ?? now
  if (error.code === 'RATE_LIMITED') {
    const seconds = error.retryAfter ?? 60
    if (account !== undefined) await noteLimit(db, account, new Date(now.getTime() + seconds * 1_000))
    if (now.getTime() + seconds * 1_000 <= since.getTime() + maxLimitedMs)
      return postpone(seconds, waiting.failures, since)
  } else if (['TIMEOUT', 'UNAVAILABLE'].includes(error.code) && waiting.failures < maxFailures) {
    return postpone(firstRetrySeconds * 2 ** waiting.failures, waiting.failures + 1, since)
  }
  await abandon(services, db, job, error.message)
}

/** A post that fails must not fail anything else, so it is only logged and shown at the connection. */
async function abandon({ log, now }: Services, db: EntityManager, job: PostJob, reason: string): Promise<void> {
  await noteProblem(db, job.projectId, reason, now())
  await settle(db, job)
  // Afterwards: if Assay cannot store it, the job runs again.
  log.warn({ ...job, reason }, 'gave up posting to the code host')
}

/** Marks the version as done, unless a newer one has replaced it. */
async function settle(db: EntityManager, job: PostJob): Promise<void> {
  await db.query(
    `UPDATE code_host_posts SET posted_version = greatest(posted_version, $4), failures = 0, failing_since = NULL
      WHERE project_id = $1 AND kind = $2 AND target = $3`,
    [...placeOf(job), job.version],
  )
}

const placeOf = ({ projectId, kind, target }: PostKey) => [projectId, kind, target]
