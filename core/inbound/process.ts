import { type DataSource, Raw } from 'typeorm'
import { startProjectAnalysis } from '../analysis/start.ts'
import { type Context, inTransaction, type Services } from '../base/context.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { ProjectEntity, type ProjectRow } from '../projects/entity.ts'
import { remoteCommit } from '../projects/repository.ts'
import { loadProjectSettings } from '../projects/settings.ts'
import { requestRun, RunEvent } from '../test-runs/request.ts'
import { type CodeHostEvent, decide } from './decide.ts'
import { InboundDeliveryEntity, type InboundDeliveryRow } from './entity.ts'
import { inboundQueue } from './queue.ts'
import { CodeHostFacts, type InboundEffect, type InboundStatus } from './schema.ts'

interface InboundJob {
  id: string
}

/** What became of a delivery, in a project or on the whole. */
export interface Outcome {
  status: Exclude<InboundStatus, 'received'>
  reason: string | null
}

/** Applies a delivery of the payment provider; the billing domain does. */
export type ApplyBillingEvent = (tx: Context, facts: unknown) => Promise<Outcome>

/** Works on deliveries that are stored. Where an analysis or a run has no room to wait, the delivery waits: for three quarters of an hour. */
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
    giveUp: ({ id }) =>
      settle(services, dataSource.manager, id, {
        status: 'failed',
        reason:
          'Processing failed for 45 minutes, because too many analyses or runs were queued or because of an error.',
      }),
  }
}

/** Safe to be done again: what an attempt before this one has finished stays as it is. */
async function processDelivery(ctx: Context, id: string, applyBillingEvent: ApplyBillingEvent): Promise<void> {
  const delivery = await ctx.db.getRepository(InboundDeliveryEntity).findOneBy({ id })
  if (delivery?.status !== 'received') return
  if (delivery.source === 'billing') {
    await inTransaction(ctx, async (tx) => {
      const outcome = await applyBillingEvent(tx, delivery.facts)
      // Nobody sees these in a list: an organization that lost its plan over a price must be found somewhere.
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
      outcomes.push(await inTransaction(ctx, (tx) => processForProject(tx, id, event, project)))
    } catch (error) {
      // What keeps one project waiting is no business of the others; the next attempt finds what these have done.
      ctx.log.info({ err: error, projectId: project.id, deliveryId: id }, 'a delivery must wait for a project')
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  await settle(ctx, ctx.db, id, summary(outcomes))
}

type ConcernedProject = Omit<ProjectRow, 'settings'>

/** The project of the receiver; for a shared receiver every one that has the repository. */
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
  // Anybody can make a project with the address of somebody else's repository. News of a private one are for those
  // who can read it, and nobody else could do anything with them.
  const readable = new Map<string, boolean>()
  for (const project of found) {
    // One question at a time, and one for all projects of a reader: each starts git.
    const question = `${project.repositoryUserId} ${project.repository}`
    if (!readable.has(question)) readable.set(question, (await remoteCommit(ctx, project, null)) !== undefined)
  }
  return found.filter(({ repositoryUserId, repository }) => readable.get(`${repositoryUserId} ${repository}`))
}

/** Does what the event means for the project, and writes down what that was. */
async function processForProject(
  tx: Context,
  deliveryId: string,
  event: CodeHostEvent,
  project: ConcernedProject,
): Promise<Outcome> {
  const locked = await tx.db.query<unknown[]>('SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE', [project.id])
  if (locked.length === 0) return { status: 'ignored', reason: 'The project was deleted.' }
  const [before] = await tx.db.query<Outcome[]>(
    'SELECT status, reason FROM inbound_outcomes WHERE project_id = $1 AND delivery_id = $2',
    [project.id, deliveryId],
  )
  if (before) return before
  const decision = decide(event, await loadProjectSettings(tx, project.id))
  const effects = 'ignored' in decision ? [] : await takeEffect(tx, event, project, decision)
  const outcome: Outcome =
    'ignored' in decision ? { status: 'ignored', reason: decision.ignored } : { status: 'processed', reason: null }
  await tx.db.query(
    `INSERT INTO inbound_outcomes (delivery_id, project_id, status, reason, effects, processed_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [deliveryId, project.id, outcome.status, outcome.reason, JSON.stringify(effects), tx.now()],
  )
  return outcome
}

async function takeEffect(
  tx: Context,
  { event, facts }: CodeHostEvent,
  project: ConcernedProject,
  { analyze, run }: { analyze: boolean; run: boolean },
): Promise<InboundEffect[]> {
  const { branch, tag, commitSha, pullRequest, fork } = facts
  const effects: InboundEffect[] = []
  if (analyze && commitSha !== null) {
    const analysis = await startProjectAnalysis(tx, project, { commitSha, ...(branch === null ? {} : { branch }) })
    effects.push({ kind: 'analysis', analysisId: analysis.id })
  }
  if (run) {
    const requested = { project, event: RunEvent.parse(event), branch, tag, commitSha, pullRequest, fork }
    effects.push(await requestRun(tx, requested))
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
