import { type DataSource, Raw } from 'typeorm'
import { startProjectAnalysis } from '../analysis/start.ts'
import { type Context, inTransaction, type Services } from '../base/context.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { ProjectEntity, type ProjectRow } from '../projects/entity.ts'
import { remoteCommit } from '../projects/repository.ts'
import { loadProjectSettings } from '../projects/settings.ts'
import { requestRun, RunEvent } from '../test-runs/request.ts'
import { type CodeHostEvent, type Decision, decide, type Effects } from './decide.ts'
import { openGate } from '../test-runs/request-gate.ts'
import { InboundDeliveryEntity, type InboundDeliveryRow } from './entity.ts'
import { inboundQueue } from './queue.ts'
import { findRerun, type RequestedRerun, type Rerun } from './rerun.ts'
import { CodeHostFacts, type InboundEffect, type InboundStatus } from './schema.ts'

interface InboundJob {
  id: string
}

/** The outcome of a delivery, in one project or overall. */
export interface Outcome {
  status: Exclude<InboundStatus, 'received'>
  reason: string | null
}

/** Applies a delivery of the payment provider. The billing domain provides it. */
export type ApplyBillingEvent = (tx: Context, facts: unknown) => Promise<Outcome>

/** Processes stored deliveries. If the queue for analyses or runs is full, a delivery is retried for 45 minutes. */
export function inboundJob(
  services: Services,
  dataSource: DataSource,
  applyBillingEvent: ApplyBillingEvent,
): JobKind<InboundJob> {
  return {
    queue: inboundQueue,
    retryLimit: 9,
    retryDelaySeconds: 5,
    heartbeatSeconds: 10,
    expireInSeconds: 120,
    concurrency: 2,
    handle: async ({ id }, signal) => {
      const ctx: Context = {
        ...services,
        db: dataSource.manager,
        actor: { kind: 'system' },
        client: { ipAddress: null, userAgent: null },
        requestId: `inbound-${id}`,
        forgetSession: () => {},
        signal,
      }
      await processDelivery(ctx, id, applyBillingEvent)
    },
    onExhausted: ({ id }) =>
      settle(services, dataSource.manager, id, {
        status: 'failed',
        reason:
          'Processing failed for 45 minutes, because too many analyses or runs were queued or because of an error.',
      }),
  }
}

/** Idempotent: it skips projects that an earlier attempt has finished. */
async function processDelivery(ctx: Context, id: string, applyBillingEvent: ApplyBillingEvent): Promise<void> {
  const delivery = await ctx.db.getRepository(InboundDeliveryEntity).findOneBy({ id })
  if (delivery?.status !== 'received') return
  if (delivery.source === 'billing') {
    await inTransaction(ctx, async (tx) => {
      const outcome = await applyBillingEvent(tx, delivery.facts)
      // These outcomes appear in no list, and operators must be able to find out why an organization lost its plan.
      if (outcome.reason !== null)
        ctx.log.warn({ deliveryId: delivery.deliveryId, reason: outcome.reason }, 'billing event')
      await settle(tx, tx.db, id, outcome)
    })
    return
  }
  const event = { ...delivery, facts: CodeHostFacts.parse(delivery.facts) }
  const outcomes: Outcome[] = []
  const failures: unknown[] = []
  for (const project of await findProjects(ctx, delivery, event.facts)) {
    try {
      // Asked before the transaction, which locks the project.
      const rerun = event.facts.command === null ? undefined : await findRerun(ctx, project, event.facts)
      outcomes.push(await inTransaction(ctx, (tx) => processForProject(tx, id, event, { project, rerun })))
    } catch (error) {
      // A project that must wait does not delay the others; the next attempt skips those that are finished.
      ctx.log.info({ err: error, projectId: project.id, deliveryId: id }, 'a delivery must wait for a project')
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  await settle(ctx, ctx.db, id, summary(outcomes))
}

type ConcernedProject = Omit<ProjectRow, 'settings'>

/** Returns the project of the receiver or, for a shared receiver, every project with the repository. */
async function findProjects(
  ctx: Context,
  { projectId }: InboundDeliveryRow,
  { repositories, isPrivate }: CodeHostFacts,
): Promise<ConcernedProject[]> {
  const projects = ctx.db.getRepository(ProjectEntity)
  if (projectId !== null) return projects.findBy({ id: projectId })
  const found = await projects.find({
    where: { repository: Raw((column) => `repository_key(${column}) = ANY (:repositories)`, { repositories }) },
    order: { id: 'ASC' },
  })
  if (!isPrivate) return found
  // Any user can create a project with the URL of a foreign repository. Events of a private repository go only to
  // projects that can read it.
  const readable = new Map<string, boolean>()
  for (const project of found) {
    // One check at a time, and one per reader for all projects, since each starts git.
    const key = `${project.repositoryUserId} ${project.repository}`
    if (!readable.has(key)) readable.set(key, (await remoteCommit(ctx, project, null)) !== undefined)
  }
  return found.filter(({ repositoryUserId, repository }) => readable.get(`${repositoryUserId} ${repository}`))
}

/** Applies the event to the project and records the outcome. */
async function processForProject(
  tx: Context,
  deliveryId: string,
  event: CodeHostEvent,
  { project, rerun }: { project: ConcernedProject; rerun: Rerun | undefined },
): Promise<Outcome> {
  const locked = await tx.db.query<unknown[]>('SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE', [project.id])
  if (locked.length === 0) return { status: 'ignored', reason: 'The project was deleted.' }
  const [before] = await tx.db.query<Outcome[]>(
    'SELECT status, reason FROM inbound_outcomes WHERE project_id = $1 AND delivery_id = $2',
    [project.id, deliveryId],
  )
  if (before) return before
  const decision = withRerun(decide(event, await loadProjectSettings(tx, project.id)), rerun)
  const effects = 'ignored' in decision ? [] : await takeEffect(tx, event, project, decision)
  const outcome: Outcome =
    effects.length > 0
      ? { status: 'processed', reason: null }
      : { status: 'ignored', reason: 'ignored' in decision ? decision.ignored : nothingOnPullRequests }
  await tx.db.query(
    `INSERT INTO inbound_outcomes (delivery_id, project_id, status, reason, effects, processed_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [deliveryId, project.id, outcome.status, outcome.reason, JSON.stringify(effects), tx.now()],
  )
  return outcome
}

const nothingOnPullRequests = 'The project settings do not run tests on pull requests, and its gate is off.'

function withRerun(
  decision: Decision,
  rerun: Rerun | undefined,
): Effects | { rerun: RequestedRerun } | { ignored: string } {
  if (!('rerun' in decision)) return decision
  return rerun ?? { ignored: 'The payload contains no command.' }
}

async function takeEffect(
  tx: Context,
  { event, facts }: CodeHostEvent,
  project: ConcernedProject,
  decision: Effects | { rerun: RequestedRerun },
): Promise<InboundEffect[]> {
  if ('rerun' in decision) return [await requestRun(tx, { project, tag: null, ...decision.rerun })]
  const { analyze, run, gate } = decision
  const { branch, tag, commitSha, pullRequest, fork, targetBranch } = facts
  const effects: InboundEffect[] = []
  if (analyze && commitSha !== null) {
    const analysis = await startProjectAnalysis(tx, project, { commitSha, ...(branch === null ? {} : { branch }) })
    effects.push({ kind: 'analysis', analysisId: analysis.id })
  }
  if (run) {
    const requested = { project, event: RunEvent.parse(event), branch, tag, commitSha, pullRequest, fork }
    effects.push(await requestRun(tx, requested))
  }
  if (gate) {
    const base = targetBranch ?? project.branch
    const gateId = await openGate(tx, { projectId: project.id, commitSha, snapshotId: null, branch, pullRequest, base })
    if (gateId !== null) effects.push({ kind: 'gate', gateId })
  }
  return effects
}

function summary(outcomes: Outcome[]): Outcome {
  const [first] = outcomes
  if (!first) return { status: 'ignored', reason: 'No project has this repository.' }
  return outcomes.find(({ status }) => status === 'processed') ?? first
}

async function settle({ now }: Pick<Services, 'now'>, db: Context['db'], id: string, outcome: Outcome): Promise<void> {
  await db.getRepository(InboundDeliveryEntity).update({ id, status: 'received' }, { ...outcome, processedAt: now() })
}
