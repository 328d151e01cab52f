import { createHash, randomUUID } from 'node:crypto'
import { EventType } from '../../core/events/schema.ts'
import type { CodeHostFacts } from '../../core/inbound/schema.ts'
import { InboundDeliveryEntity, type InboundDeliveryRow } from '../../core/inbound/entity.ts'
import { WebhookAttemptEntity, type WebhookAttemptRow, type WebhookDeliveryRow } from '../../core/webhooks/entity.ts'
import { DeliveryStatus } from '../../core/webhooks/schema.ts'
import { createDeliveryFor, createWebhookFor } from '../../core/webhooks/testing.ts'
import { after, before, day, hour, idAt, minute } from './random.ts'
import type { Scene } from './target.ts'

/** Fills webhooks in every state with deliveries of every status and their attempts. Returns the ids of the webhooks. */
export async function fillWebhooks(scene: Scene): Promise<string[]> {
  const { app, project, now } = scene
  const userId = scene.userIds[0] ?? ''
  const failuresInRow = 5
  const failingSince = before(now, 26 * hour)
  const of = { userId, projectId: project.id, organizationId: project.organizationId, createdAt: before(now, 35 * day) }
  const [active, paused, failing, disabled] = await Promise.all([
    createWebhookFor(app, {
      ...of,
      url: 'https://ci.example.com/hooks/assay?team=forms',
      description: 'Posts failed runs to the channel of the team',
      deliveryCount: 1_204,
      lastDeliveryAt: before(now, 9 * minute),
    }),
    createWebhookFor(app, { ...of, url: 'https://staging.example.com/hooks', pausedAt: before(now, 3 * day) }),
    createWebhookFor(app, {
      ...of,
      url: 'https://old.example.com/assay',
      description: 'The metrics of the platform team',
      failingSince,
      failuresInRow,
      openUntil: after(now, 40 * minute),
    }),
    createWebhookFor(app, {
      ...of,
      url: 'https://gone.example.com/assay',
      active: false,
      disabledReason: 'Every delivery failed for 5 days. Correct the address, then activate the webhook again.',
      events: ['test_run.failed'],
    }),
  ])
  for (let index = 0; index < 60; index++) {
    const status = index % 4 === 0 ? (statuses[(index / 4) % statuses.length] ?? 'succeeded') : 'succeeded'
    await fillDelivery(scene, {
      webhookId: active.id,
      index,
      status,
      createdAt: before(now, index * 9 * hour + 9 * minute),
    })
  }
  for (let index = 0; index < failuresInRow; index++) {
    const createdAt = after(failingSince, index * 5 * hour)
    await fillDelivery(scene, { webhookId: failing.id, index, status: 'failed', createdAt })
  }
  await createDeliveryFor(app, { webhookId: paused.id, event: 'test_run.completed' })
  return [active.id, paused.id, failing.id, disabled.id]
}

const statuses = DeliveryStatus.options
const problems = ['connect ECONNREFUSED 192.0.2.44:443', 'The receiver did not answer within 10 s.', null]

interface Sent {
  webhookId: string
  index: number
  status: DeliveryStatus
  createdAt: Date
}

async function fillDelivery({ app, now, random, project }: Scene, sent: Sent): Promise<void> {
  const { webhookId, index, status, createdAt } = sent
  const id = idAt(createdAt)
  const event = EventType.options[index % EventType.options.length] ?? 'test_run.completed'
  const isFailed = status === 'failed'
  const attemptCount = isFailed ? 6 : 1
  const error = isFailed || status === 'pending' ? (problems[index % problems.length] ?? null) : null
  const responseStatus = status === 'succeeded' ? 200 : error === null && status !== 'in_flight' ? 503 : null
  const delivery: Partial<WebhookDeliveryRow> = {
    id,
    status,
    event,
    body: JSON.stringify({
      id,
      event,
      timestamp: createdAt.toISOString(),
      data: { projectId: project.id, name: project.name, branch: 'main', totalTests: 412, failedTests: index % 7 },
    }),
    attemptCount,
    scheduledAttempts: attemptCount,
    trigger: index % 13 === 0 ? 'manual' : 'scheduled',
    nextAttemptAt: status === 'pending' ? after(now, 2 * hour) : null,
    // No server takes it over while the pages are looked at.
    ...(status === 'in_flight' && { leaseToken: randomUUID(), leaseUntil: after(now, 2 * day) }),
    responseStatus,
    error,
    deliveredAt: status === 'succeeded' ? after(createdAt, 800) : null,
    createdAt,
    ...(responseStatus !== null && { responseBody: responseStatus === 200 ? '{"ok":true}' : 'Service unavailable' }),
  }
  await createDeliveryFor(app, { ...delivery, webhookId })
  const attempts = Array.from({ length: status === 'in_flight' ? 0 : attemptCount }, (_, number): WebhookAttemptRow => {
    return {
      deliveryId: id,
      number: number + 1,
      trigger: 'scheduled',
      startedAt: after(createdAt, number ** 3 * minute),
      durationMs: error === null ? random.between(40, 900) : 10_000,
      responseStatus,
      error,
      address: error === null ? '192.0.2.44' : null,
      responseHead: responseStatus === 200 ? '{"ok":true}' : responseStatus === null ? null : 'Service unavailable',
    }
  })
  if (attempts.length > 0) await app.dataSource.getRepository(WebhookAttemptEntity).insert(attempts)
}

/** Fills deliveries of the code host with every status. */
export async function fillInbound({ app, project, now, repository, random }: Scene): Promise<void> {
  const outcomes: [InboundDeliveryRow['status'], string | null][] = [
    ['processed', null],
    ['ignored', 'The branch `gh-pages` matches no pattern of the project settings.'],
    ['failed', 'The repository could not be fetched: the code host answered 503.'],
    ['processed', null],
  ]
  const rows = Array.from({ length: 30 }, (_, index): InboundDeliveryRow & { facts: CodeHostFacts } => {
    const receivedAt = before(now, index * 20 * hour + 7 * minute)
    const [status, reason] = outcomes[index % outcomes.length] ?? ['received', null]
    const isPush = index % 3 !== 1
    return {
      id: idAt(receivedAt),
      source: 'project',
      projectId: project.id,
      deliveryId: randomUUID(),
      event: isPush ? 'push' : 'pull_request',
      action: isPush ? null : 'synchronize',
      payloadDigest: createHash('sha256').update(String(index)).digest('hex'),
      facts: {
        repositories: [],
        isPrivate: false,
        repositoryId: 1,
        branch: isPush ? repository.branch : 'fix/empty-chunk',
        targetBranch: isPush ? null : repository.branch,
        tag: null,
        commitSha: random.pick(repository.commits),
        pullRequest: isPush ? null : 418,
        fork: false,
        deleted: false,
        command: null,
        sender: null,
      },
      status,
      reason,
      receivedAt,
      processedAt: after(receivedAt, 900),
    }
  })
  await app.dataSource.getRepository(InboundDeliveryEntity).insert(rows)
}
