import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../base/context.ts'
import { beginRun, endRun } from '../test-runs/state.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { contextFor } from '../testing/context.ts'
import { pageAt } from '../testing/dashboard-pages.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createRunFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'
import { WebhookDeliveryEntity, WebhookEntity, type WebhookRow } from './entity.ts'
import { createWebhookFor } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const repository = 'https://127.0.0.1:9/a/project.git'
const anyTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** Creates an organization with a webhook that collects every event. */
async function setUp() {
  const user = await createUser(app)
  const organization = await createOrganizationFor(app, { user, name: 'Shop' })
  const client = app.client(await createTokenFor(app, { user }))
  const create = (fields: Partial<WebhookRow>) =>
    createWebhookFor(app, { userId: user.id, pausedAt: new Date(), ...fields })
  const webhook = await create({ organizationId: organization.id })
  const project = await createProjectFor(app, { user, organizationId: organization.id, repository })
  return { user, organization, client, webhook, project, create }
}

interface Body {
  id: string
  event: string
  data: Record<string, unknown>
}

async function bodiesOf({ id: webhookId }: Pick<WebhookRow, 'id'>): Promise<Body[]> {
  const rows = await app.dataSource
    .getRepository(WebhookDeliveryEntity)
    .find({ where: { webhookId }, order: { eventId: 'ASC' } })
  return rows.map(({ body }) => JSON.parse(body) as Body)
}

const eventsOf = async (webhook: WebhookRow) => (await bodiesOf(webhook)).map(({ event }) => event)

const countEvents = async () =>
  (await app.dataSource.query<[{ count: number }]>('SELECT count(*)::int AS count FROM events'))[0].count

test('announces each change of a project once, with the specified fields and without settings', async () => {
  const { organization, client, webhook } = await setUp()
  const organizationId = organization.id
  const made = await client.projects.createProject.mutate({ name: 'Till', repository, branch: 'main', organizationId })
  const { id: projectId } = made
  await client.projects.updateProject.mutate({ projectId, name: 'Cart', language: 'Go', description: 'Hidden words' })
  const environment = { PAYMENT_KEY: 'a secret value' }
  await client.projects.updateProjectSettings.mutate({ projectId, settings: { environment, testCommand: 'go test' } })
  await client.projects.deleteProject.mutate({ projectId })

  const bodies = await bodiesOf(webhook)
  const created = {
    id: projectId,
    url: `${app.config.baseUrl}/projects/${projectId}`,
    name: 'Till',
    repository,
    branch: 'main',
    language: null,
    framework: null,
    createdAt: made.createdAt,
  }
  const updated = { ...created, name: 'Cart', language: 'Go', updatedAt: anyTime }
  const common = { id: expect.any(String), timestamp: anyTime, organization: { id: organizationId, name: 'Shop' } }
  const project = { id: projectId, name: 'Cart', repository }
  expect(bodies).toEqual([
    { ...common, event: 'project.created', data: created },
    { ...common, event: 'project.updated', data: updated, project },
    { ...common, event: 'project.updated', data: updated, project },
    { ...common, event: 'project.deleted', data: { id: projectId }, project },
  ])
  expect(JSON.stringify(bodies)).not.toMatch(/PAYMENT|secret|go test|Hidden/)
})

test('announces a completed analysis and the fields that it filled in, but not a failed one', async () => {
  const { organization, client, webhook } = await setUp()
  await using git = await createGitRepository({ 'package.json': '{"dependencies":{"koa":"3"}}', 'a.ts': 'export {}\n' })
  const organizationId = organization.id
  const input = { name: 'Till', repository: git.path, branch: 'main', organizationId }
  const { id: projectId } = await client.projects.createProject.mutate(input)
  await client.analysis.analyzeRepository.mutate({ projectId })
  await client.analysis.analyzeRepository.mutate({ projectId })
  const failing = client.analysis.analyzeRepository.mutate({ projectId, branch: 'missing' })
  await expect(failing).rejects.toThrow('could not analyze')

  const [, filledIn, ...completed] = await bodiesOf(webhook)
  expect(filledIn).toMatchObject({ event: 'project.updated', data: { language: 'TypeScript', framework: 'Koa' } })
  const analyses = await client.projects.getProjectAnalyses.query({ projectId })
  const ofRecordOnly = new Set(['coverage', 'ranking', 'rankedAt', 'snapshotId'])
  expect(completed).toMatchObject(
    analyses
      .filter(({ status }) => status === 'completed')
      .toReversed()
      // An event tells of the end of the analysis. Its ranking may change later, and only snapshots are named.
      .map((analysis) => ({
        event: 'analysis.completed',
        data: Object.fromEntries(Object.entries(analysis).filter(([name]) => !ofRecordOnly.has(name))),
        project: { id: projectId },
      })),
  )
  expect(completed).toHaveLength(2)
  expect(completed[0]?.data).toMatchObject({
    projectId,
    commitSha: await git.git('rev-parse', 'HEAD'),
    filesAnalyzed: 2,
    testCandidates: 0,
    languages: { TypeScript: 1, JSON: 1 },
    frameworks: ['Koa'],
    createdAt: anyTime,
  })
  expect(completed[0]?.data).not.toHaveProperty('result')
})

test('announces when a run starts and how it ends, with the log of a failure', async () => {
  const { user, client, webhook, project } = await setUp()
  const ctx = contextFor(app)
  const create = () => createRunFor(app, { projectId: project.id, userId: user.id })
  const end = async (runId: string, fields: Parameters<typeof endRun>[2]) => {
    const begun = await beginRun(ctx, runId)
    await inTransaction(ctx, async (tx) => begun && (await endRun(tx, begun.run, fields)))
  }
  const [fine, broken, cancelled] = [await create(), await create(), await create()]
  await app.dataSource.query("INSERT INTO test_run_log VALUES ($1, 0, 2, E'$ npm test\\nnothing here')", [broken.id])
  const totals = { totalTests: 3, passedTests: 1, failedTests: 1, mutedTests: 0, skippedTests: 1, coverage: 62.5 }
  await end(fine.id, { status: 'COMPLETED', duration: 12_500, ...totals })
  await end(broken.id, { status: 'FAILED', error: { code: 'NO_TESTS', message: 'No test ran.' } })
  await client.testRuns.cancel.mutate({ runId: cancelled.id })
  await client.testRuns.cancel.mutate({ runId: cancelled.id })

  const of = ({ id, createdAt, branch, commitSha }: Awaited<ReturnType<typeof create>>, status: string) => {
    const url = `${app.config.baseUrl}/projects/${project.id}/runs/${id}`
    return { id, projectId: project.id, url, status, branch, commitSha, createdAt: createdAt.toISOString() }
  }
  expect((await bodiesOf(webhook)).map(({ event, data }) => [event, data])).toEqual([
    ['test_run.started', { ...of(fine, 'running'), type: 'ALL' }],
    ['test_run.completed', { ...of(fine, 'completed'), duration: 12_500, ...totals }],
    ['test_run.started', { ...of(broken, 'running'), type: 'ALL' }],
    ['test_run.failed', { ...of(broken, 'failed'), error: 'No test ran.', log: '$ npm test\nnothing here\n' }],
    ['test_run.failed', { ...of(cancelled, 'cancelled'), error: 'The run was cancelled.', log: '' }],
  ])
})

test('the record, the events and the commit status of a run lead to the same page', async () => {
  const { client, webhook, project } = await setUp()
  const ctx = contextFor(app)
  const { id: runId } = await createRunFor(app, { projectId: project.id, commitSha: 'b'.repeat(40) })
  const begun = await beginRun(ctx, runId)
  // A worker deletes the status as soon as it has been posted, or cannot be.
  const statuses = await inTransaction(ctx, async (tx) => {
    if (begun) await endRun(tx, begun.run, { status: 'COMPLETED' })
    return tx.db.query("SELECT content->>'targetUrl' AS target_url FROM code_host_posts WHERE project_id = $1", [
      project.id,
    ])
  })
  const { url } = await client.testRuns.get.query({ runId })
  expect(await pageAt(url, app.config.baseUrl)).toBe('/projects/$projectId/runs/$runId')
  expect((await bodiesOf(webhook)).map(({ data }) => data.url)).toEqual([url, url])
  expect(statuses).toEqual([{ target_url: url }])
})

test.each(['project', 'organization'] as const)(
  'deleting a %s cancels its queued and running runs before the deletion is announced',
  async (what) => {
    const { organization, client, webhook, project } = await setUp()
    const fields = { projectId: project.id, commitSha: 'a'.repeat(40) }
    const waiting = await createRunFor(app, fields)
    const running = await createRunFor(app, fields)
    await createRunFor(app, { ...fields, status: 'COMPLETED' })
    const begun = await beginRun(contextFor(app), running.id)
    if (what === 'project') await client.projects.deleteProject.mutate({ projectId: project.id })
    else await client.organizations.delete.mutate({ organizationId: organization.id })
    expect((await bodiesOf(webhook)).map(({ event, data }) => [event, data.id, data.status])).toEqual([
      ['test_run.started', running.id, 'running'],
      ['test_run.failed', waiting.id, 'cancelled'],
      ['test_run.failed', running.id, 'cancelled'],
      ['project.deleted', project.id, undefined],
    ])
    const late = inTransaction(contextFor(app), async (tx) => begun && endRun(tx, begun.run, { status: 'COMPLETED' }))
    expect(await late).toBe(false)
  },
)

test('a run that ends while its project is being deleted ends first, and both succeed', async () => {
  const { client, webhook, project } = await setUp()
  const { id: runId } = await createRunFor(app, { projectId: project.id, commitSha: 'a'.repeat(40) })
  const ctx = contextFor(app)
  const begun = await beginRun(ctx, runId)
  const blocker = new pg.Client({ connectionString: app.config.databaseUrl })
  await blocker.connect()
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ $1`
  const waits = (at: string) => expect.poll(() => app.dataSource.query(waiting, [at])).not.toEqual([])
  try {
    // The commit status is written last: while the table is locked, the end of the run waits, and the deletion behind it.
    await blocker.query('BEGIN; LOCK TABLE code_host_posts')
    const end = inTransaction(ctx, async (tx) => {
      // On a busy machine the deletion comes late.
      await tx.db.query(`SET LOCAL lock_timeout = '20s'`)
      return begun && endRun(tx, begun.run, { status: 'COMPLETED' })
    })
    await waits('INSERT INTO code_host_posts')
    const deletion = client.projects.deleteProject.mutate({ projectId: project.id })
    await waits('FROM projects|test_runs')
    await blocker.query('COMMIT')
    expect(await Promise.all([end, deletion])).toMatchObject([true, { message: expect.any(String) }])
  } finally {
    await blocker.end()
  }
  expect(await eventsOf(webhook)).toEqual(['test_run.started', 'test_run.completed', 'project.deleted'])
})

test('deleting an organization announces each of its projects and then retires its webhooks', async () => {
  const { user, organization, client, webhook, project, create } = await setUp()
  const organizationId = organization.id
  const second = await createProjectFor(app, { user, organizationId })
  const ofSecond = await create({ organizationId, projectId: second.id })
  const elsewhere = await create({ organizationId: (await createOrganizationFor(app, { user })).id })
  await client.organizations.delete.mutate({ organizationId })

  const [first, next, ...more] = await bodiesOf(webhook)
  expect(more).toEqual([])
  expect([first?.data.id, next?.data.id].toSorted()).toEqual([project.id, second.id].toSorted())
  expect(first).toMatchObject({ event: 'project.deleted', organization: { id: organizationId, name: 'Shop' } })
  expect(await bodiesOf(ofSecond)).toMatchObject([{ event: 'project.deleted', data: { id: second.id } }])
  expect(await bodiesOf(elsewhere)).toEqual([])

  const webhooks = app.dataSource.getRepository(WebhookEntity)
  for (const { id } of [webhook, ofSecond]) {
    expect(await webhooks.findOneBy({ id })).toMatchObject({ active: true, deletedAt: expect.any(Date) })
    const deliveries = await app.dataSource.getRepository(WebhookDeliveryEntity).findBy({ webhookId: id })
    // They may be in flight, since their URLs do not respond.
    for (const { status } of deliveries) expect(['pending', 'in_flight']).toContain(status)
  }
  expect(await webhooks.findOneBy({ id: elsewhere.id })).toMatchObject({ deletedAt: null })
})

test('deleting a project retires its webhooks and not those of its organization', async () => {
  const { client, webhook, project, create } = await setUp()
  const own = await create({ organizationId: project.organizationId, projectId: project.id })
  await client.projects.deleteProject.mutate({ projectId: project.id })
  const webhooks = app.dataSource.getRepository(WebhookEntity)
  expect(await webhooks.findOneBy({ id: own.id })).toMatchObject({ deletedAt: expect.any(Date) })
  expect(await webhooks.findOneBy({ id: webhook.id })).toMatchObject({ deletedAt: null })
  expect([await eventsOf(own), await eventsOf(webhook)]).toEqual([['project.deleted'], ['project.deleted']])
})

test('announces nothing for a rejected call', async () => {
  const { organization, client, webhook, project } = await setUp()
  const viewer = await createUser(app)
  await createMembershipFor(app, { organizationId: organization.id, user: viewer, role: 'viewer' })
  const before = await countEvents()
  const projectId = project.id
  const of = ({ projects }: typeof client) => [
    projects.createProject.mutate({ name: 'x', repository: 'ext::sh', organizationId: organization.id }),
    projects.updateProject.mutate({ projectId, name: 'y', branch: '-x' }),
    projects.updateProjectSettings.mutate({ projectId, settings: { environment: { KEY: 'a\0b' }, timeoutSeconds: 0 } }),
  ]
  const ofOthers = ({ projects, organizations }: typeof client) => [
    projects.updateProject.mutate({ projectId, name: 'y' }),
    projects.updateProjectSettings.mutate({ projectId, settings: {} }),
    projects.deleteProject.mutate({ projectId }),
    organizations.delete.mutate({ organizationId: organization.id }),
  ]
  const stranger = await createUser(app)
  const tokens = [await createTokenFor(app, { user: viewer }), await createTokenFor(app, { user: stranger })]
  const calls = [...of(client), ...tokens.flatMap((token) => ofOthers(app.client(token)))]
  for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected')
  expect([await countEvents(), await eventsOf(webhook)]).toEqual([before, []])
})

test('a deletion whose connection breaks is neither done nor announced, and a retry does both', async () => {
  const { user, client, webhook, project } = await setUp()
  await createTokenFor(app, { user, projectId: project.id })
  const projects = () => app.dataSource.query('SELECT FROM projects WHERE id = $1', [project.id])
  const blocker = new pg.Client({ connectionString: app.config.databaseUrl })
  await blocker.connect()
  try {
    // The audit log is written last: while the table is locked, the deletion waits after it wrote its event.
    await blocker.query('BEGIN; LOCK TABLE unchained_audit_logs')
    const call = client.projects.deleteProject.mutate({ projectId: project.id })
    const failing = expect(call).rejects.toMatchObject({ data: { code: 'SERVICE_UNAVAILABLE' } })
    const end = () =>
      blocker.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`,
      )
    await expect.poll(async () => (await end()).rowCount).toBe(1)
    await failing
  } finally {
    await blocker.end()
  }
  expect([await projects(), await eventsOf(webhook)]).toEqual([[{}], []])
  await client.projects.deleteProject.mutate({ projectId: project.id })
  expect([await projects(), await eventsOf(webhook)]).toEqual([[], ['project.deleted']])
})

test('announces nothing if nothing changes', async () => {
  const { client, project, webhook } = await setUp()
  const projectId = project.id
  await client.projects.updateProject.mutate({ projectId })
  await client.projects.updateProject.mutate({ projectId, name: project.name })
  await client.projects.updateProjectSettings.mutate({ projectId, settings: {} })
  await client.projects.updateProjectSettings.mutate({ projectId, settings: { timeoutSeconds: 60 } })
  await client.projects.updateProjectSettings.mutate({ projectId, settings: { timeoutSeconds: 60 } })
  expect((await bodiesOf(webhook)).map(({ event }) => event)).toEqual(['project.updated'])
})
