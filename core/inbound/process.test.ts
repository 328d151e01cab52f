import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProjectSettingsChange } from '../projects/schema.ts'
import { TestRunEntity, type TestRunRow } from '../test-runs/entity.ts'
import { createTestApp, runSettings, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createProjectFor,
  createRunFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { cleanUpDeliveries } from './clean-up.ts'
import { type Delivery, deliver, pullRequestPayload, pushPayload } from './testing.ts'

const shared = { secret: 'the secret of all projects', appSecret: 'the secret of the app', legacySha1: false }
let app: TestApp
// No worker runs, so that runs stay queued.
const runs = { ...runSettings, runConcurrency: 0 }
beforeAll(async () => void (app = await createTestApp({ inbound: shared, runs })))
afterAll(() => app[Symbol.asyncDispose]())

const requested = { kind: 'run', runId: expect.any(String) }
const opened = { kind: 'gate', gateId: expect.any(String) }

const postponed = () => app.dataSource.query("SELECT 1 FROM pgboss.job WHERE name = 'inbound' AND state = 'retry'")
/** Retries now instead of after the backoff. */
const tryAgain = () =>
  app.dataSource.query("UPDATE pgboss.job SET start_after = now() WHERE name = 'inbound' AND state = 'retry'")

async function setUp(settings: ProjectSettingsChange = {}, fields: { repository?: string } = {}) {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user, ...fields })
  const client = app.client(await createTokenFor(app, { user }))
  const projectId = project.id
  if (Object.keys(settings).length > 0) await client.projects.updateProjectSettings.mutate({ projectId, settings })
  const { secret, url } = await client.projects.rotateInboundSecret.mutate({ projectId })
  const list = async () => (await client.inbound.list.query({ projectId })).deliveries
  /** Delivers to the project's own receiver and returns the outcome. */
  const outcomeOf = async (delivery: Omit<Delivery, 'secret'>) => {
    const before = (await list()).length
    expect((await deliver(app, new URL(url).pathname, { secret, ...delivery })).status).toBe(200)
    await expect.poll(async () => (await list())[0]?.status).not.toBe('received')
    const after = await list()
    expect(after).toHaveLength(before + 1)
    return after[0]
  }
  /** Delivers an event and returns the run that it triggers. */
  const runOf = async (delivery: Omit<Delivery, 'secret'>): Promise<TestRunRow> => {
    const outcome = await outcomeOf(delivery)
    const runId = outcome?.effects.flatMap((effect) => (effect.kind === 'run' ? [effect.runId] : []))[0]
    return app.dataSource.getRepository(TestRunEntity).findOneByOrFail({ id: runId ?? '', projectId })
  }
  return { user, client, projectId, secret, path: new URL(url).pathname, list, outcomeOf, runOf }
}

test('a push triggers an analysis of its commit', async () => {
  await using repository = await createGitRepository({ 'a.ts': 'export const a = 1\n' })
  const commitSha = await repository.git('rev-parse', 'HEAD')
  const { client, outcomeOf } = await setUp({ runOn: { push: false } }, { repository: repository.path })
  await repository.commit({ 'b.ts': 'export const b = 1\n' })
  const outcome = await outcomeOf({ event: 'push', payload: pushPayload({ after: commitSha }) })
  expect(outcome).toMatchObject({ status: 'processed', reason: null, processedAt: expect.any(String) })
  const [effect, ...more] = outcome?.effects ?? []
  expect(more).toEqual([])
  if (effect?.kind !== 'analysis') throw new Error('nothing was analyzed')
  const analysis = await client.analysis.getAnalysis.query({ analysisId: effect.analysisId, waitSeconds: 30 })
  expect(analysis).toMatchObject({ status: 'completed', commitSha, filesAnalyzed: 1 })
})

test('settings decide what a push triggers', async () => {
  const { outcomeOf } = await setUp({ branches: ['main', 'release/*'], analyzeOnPush: false })
  const push = (fields: object) => outcomeOf({ event: 'push', payload: pushPayload(fields) })
  expect(await push({})).toMatchObject({ status: 'processed', effects: [requested] })
  expect(await push({ ref: 'refs/heads/release/1' })).toMatchObject({ status: 'processed', branch: 'release/1' })
  expect(await push({ ref: 'refs/heads/release/1/2' })).toMatchObject({
    status: 'ignored',
    reason: 'The project settings exclude the branch release/1/2.',
    effects: [],
  })
  expect(await push({ ref: 'refs/tags/v1' })).toMatchObject({ status: 'ignored', tag: 'v1' })
  const gone = { after: '0'.repeat(40), deleted: true }
  expect(await push(gone)).toMatchObject({ status: 'ignored', reason: expect.stringContaining('deleted') })
  expect(await push({ after: 'HEAD; rm -rf /' })).toMatchObject({ status: 'ignored', commitSha: null })
  expect(await push({ ref: 'refs/heads/--upload-pack=x' })).toMatchObject({ status: 'ignored', branch: null })
})

test('a run has the data of its event, and a run of a fork gets no secrets', async () => {
  const { user, runOf, list } = await setUp({ analyzeOnPush: false, runOn: { release: true } })
  const common = { userId: user.id, status: 'PENDING', type: 'ALL', selection: null, rerunOf: null, name: null }
  expect(await runOf({ event: 'push', payload: pushPayload({ after: 'a'.repeat(40) }) })).toMatchObject({
    ...common,
    source: 'push',
    branch: 'main',
    commitSha: 'a'.repeat(40),
    pullRequest: null,
    withSecrets: true,
  })
  const ofPullRequest = { ...common, source: 'pull_request', commitSha: 'b'.repeat(40), pullRequest: 7 }
  const own = await runOf({ event: 'pull_request', payload: pullRequestPayload('opened') })
  expect(own).toMatchObject({ ...ofPullRequest, branch: 'feature', withSecrets: true })
  const fork = await runOf({ event: 'pull_request', payload: pullRequestPayload('synchronize', { headId: 2 }) })
  // The branch belongs to the fork; the project may have another branch of that name.
  expect(fork).toMatchObject({ ...ofPullRequest, branch: null, withSecrets: false })
  const { repository } = pushPayload()
  const release = { action: 'published', repository, release: { tag_name: 'v1.0' } }
  expect(await runOf({ event: 'release', payload: release })).toMatchObject({
    ...common,
    source: 'release',
    branch: 'v1.0',
    commitSha: null,
    withSecrets: true,
  })
  expect((await list()).every(({ effects }) => effects[0]?.kind === 'run')).toBe(true)
})

test('a duplicate delivery triggers no second run', async () => {
  const { client, projectId, outcomeOf, path, secret } = await setUp({ analyzeOnPush: false })
  const delivery = { event: 'push', payload: pushPayload(), id: `twice-${projectId}` }
  await outcomeOf(delivery)
  expect((await deliver(app, path, { secret, ...delivery })).body.duplicate).toBe(true)
  expect((await client.testRuns.list.query({ projectId })).pagination.total).toBe(1)
})

test('a push of 3,000 commits and 5 MB triggers one analysis and run of its head', async () => {
  const { outcomeOf } = await setUp({ analyzeOnPush: false })
  const commits = Array.from({ length: 3_000 }, (_, index) => ({
    id: index.toString(16).padStart(40, '0'),
    message: 'm'.repeat(1_600),
  }))
  expect(await outcomeOf({ event: 'push', payload: pushPayload({ commits }) })).toMatchObject({ effects: [requested] })
})

test('a pull request triggers a run of its head, which is marked if it comes from a fork', async () => {
  const { outcomeOf, client, projectId } = await setUp({ branches: ['main'] })
  const send = (...input: Parameters<typeof pullRequestPayload>) =>
    outcomeOf({ event: 'pull_request', payload: pullRequestPayload(...input) })
  for (const action of ['opened', 'synchronize', 'reopened']) {
    const facts = { action, branch: 'feature', commitSha: 'b'.repeat(40), pullRequest: 7, fork: false }
    expect(await send(action)).toMatchObject({ ...facts, status: 'processed', effects: [requested, opened] })
  }
  expect(await send('opened', { headId: 2 })).toMatchObject({ fork: true, status: 'processed' })
  expect(await send('closed')).toMatchObject({ status: 'ignored', reason: 'Assay ignores pull_request closed.' })
  expect(await send('opened', { target: 'old' })).toMatchObject({ status: 'ignored' })
  await client.projects.updateProjectSettings.mutate({ projectId, settings: { runOn: { pullRequest: false } } })
  expect(await send('opened')).toMatchObject({ status: 'processed', effects: [opened] })
  expect(await client.gate.list.query({ projectId, pullRequest: 7 })).toMatchObject({
    gates: [{ state: 'pending', base: 'main', branch: 'feature', headSha: 'b'.repeat(40) }],
  })
  await client.gate.updatePolicy.mutate({ projectId, policy: { mode: 'off' } })
  expect(await send('opened')).toMatchObject({ status: 'ignored', reason: expect.stringContaining('its gate is off') })
})

test('a published release triggers a run of its tag, if the settings enable it', async () => {
  const { outcomeOf, client, projectId } = await setUp()
  const { repository } = pushPayload()
  const payload = { action: 'published', repository, release: { tag_name: 'v1.0' } }
  expect(await outcomeOf({ event: 'release', payload })).toMatchObject({ status: 'ignored', tag: 'v1.0' })
  await client.projects.updateProjectSettings.mutate({ projectId, settings: { runOn: { release: true } } })
  expect(await outcomeOf({ event: 'release', payload })).toMatchObject({ status: 'processed', effects: [requested] })
  const created = { ...payload, action: 'created' }
  expect(await outcomeOf({ event: 'release', payload: created })).toMatchObject({ status: 'ignored' })
})

test('accepts pings and unknown events and reports that they are ignored', async () => {
  const { outcomeOf } = await setUp()
  expect(await outcomeOf({ event: 'ping', payload: { zen: 'x' } })).toMatchObject({
    reason: expect.stringMatching(/ping/),
  })
  expect(await outcomeOf({ event: 'star', payload: { action: 'created' } })).toMatchObject({
    status: 'ignored',
    reason: 'Assay ignores star.',
  })
})

test('shared receivers reach every project with the repository, in any spelling, and no other', async () => {
  const quiet = { analyzeOnPush: false }
  const one = await setUp(quiet, { repository: 'https://Code.example.com/Team/Shop.git' })
  const two = await setUp(quiet, { repository: 'http://code.example.com/team/shop/' })
  const other = await setUp(quiet, { repository: 'https://code.example.com/team/shop2' })
  const urls = [
    { clone_url: 'https://code.example.com/team/shop.git' },
    { html_url: 'https://code.example.com/TEAM/shop' },
    { ssh_url: 'git@code.example.com:team/shop.git' },
  ]
  for (const url of urls) {
    const payload = pushPayload({ repository: { ...url, private: false } })
    await deliver(app, '/api/webhooks/code-host-app', { secret: shared.appSecret, event: 'push', payload })
    await deliver(app, '/webhooks/code_host', { secret: shared.secret, event: 'push', payload })
  }
  for (const { list } of [one, two]) {
    await expect.poll(async () => (await list()).length).toBe(6)
    const found = await list()
    expect(found.map(({ source }) => source).toSorted()).toEqual([
      ...Array(3).fill('app'),
      ...Array(3).fill('code_host'),
    ])
    expect(found.every(({ status, effects }) => status === 'processed' && effects.length === 1)).toBe(true)
  }
  expect(await other.list()).toEqual([])
  const wrong = { secret: shared.secret, event: 'push', payload: pushPayload() }
  expect((await deliver(app, '/api/webhooks/code-host-app', wrong)).status).toBe(401)
})

test('events of a private repository reach only the projects that can read it', async () => {
  await using repository = await createGitRepository({ 'a.ts': 'export const a = 1\n' })
  await using host = await startGitHost({ shop: repository.path })
  const quiet = { analyzeOnPush: false }
  const reader = await setUp(quiet, { repository: `${host.url}/shop` })
  const stranger = await setUp(quiet, { repository: `${host.url}/secret` })
  for (const name of ['secret', 'shop']) {
    const payload = pushPayload({ repository: { clone_url: `${host.url}/${name}`, private: true } })
    await deliver(app, '/webhooks/code_host', { secret: shared.secret, event: 'push', payload, id: `private-${name}` })
  }
  await expect.poll(async () => (await reader.list()).length).toBe(1)
  const settled = () =>
    app.dataSource.query("SELECT status FROM inbound_deliveries WHERE delivery_id = 'private-secret'")
  await expect.poll(settled).toEqual([{ status: 'ignored' }])
  expect(await stranger.list()).toEqual([])
})

test('a delivery waits while too many analyses of its project are queued', async () => {
  const { projectId, outcomeOf } = await setUp()
  for (let index = 0; index < 5; index++) {
    await app.dataSource.query(
      `INSERT INTO analyses (id, project_id, status, requested_branch, created_at) VALUES ($1, $2, 'pending', $1, now())`,
      [`waiting-${index}`, projectId],
    )
  }
  const working = outcomeOf({ event: 'push', payload: pushPayload() })
  await expect.poll(postponed).toHaveLength(1)
  await app.dataSource.query("DELETE FROM analyses WHERE id LIKE 'waiting-%'")
  await tryAgain()
  expect(await working).toMatchObject({ status: 'processed', effects: [{ kind: 'analysis' }, requested] })
})

test('a delivery waits while too many runs of its project are queued, and is then processed completely', async () => {
  const { client, projectId, outcomeOf } = await setUp()
  const waiting = await Promise.all(Array.from({ length: 50 }, () => createRunFor(app, { projectId })))
  const working = outcomeOf({ event: 'push', payload: pushPayload() })
  await expect.poll(postponed).toHaveLength(1)
  // Its analysis waits with the run, so that it is not requested twice.
  expect(await client.projects.getProjectAnalyses.query({ projectId })).toEqual([])
  for (const { id: runId } of waiting) await client.testRuns.cancel.mutate({ runId })
  await tryAgain()
  expect(await working).toMatchObject({ status: 'processed', effects: [{ kind: 'analysis' }, requested] })
})

test('viewers can list deliveries, other users get 404, and only admins can rotate the secret', async () => {
  const member = await createMembershipFor(app, { role: 'viewer' })
  const { userId, organizationId } = member
  const project = await createProjectFor(app, { organizationId })
  const user = { id: userId } as Awaited<ReturnType<typeof createUser>>
  const viewer = app.client(await createTokenFor(app, { user }))
  const stranger = app.client(await createTokenFor(app))
  expect((await viewer.inbound.list.query({ projectId: project.id })).pagination).toEqual({
    total: 0,
    limit: 20,
    offset: 0,
  })
  const rotate = { projectId: project.id }
  await expect(viewer.projects.rotateInboundSecret.mutate(rotate)).rejects.toMatchObject({ data: { httpStatus: 403 } })
  for (const ask of [stranger.inbound.list.query, stranger.projects.rotateInboundSecret.mutate]) {
    await expect(ask(rotate)).rejects.toMatchObject({ data: { httpStatus: 404 } })
  }
})

test('a replaced secret stays valid for the requested time', async () => {
  const { client, projectId, secret: first, path } = await setUp()
  const send = async (secret: string) => (await deliver(app, path, { secret, event: 'ping', payload: {} })).status
  const { secret: second, previousSecretUntil } = await client.projects.rotateInboundSecret.mutate({ projectId })
  expect(Date.parse(previousSecretUntil ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000)
  expect([await send(first), await send(second)]).toEqual([200, 200])
  await app.dataSource.query('UPDATE inbound_secrets SET previous_until = now() WHERE project_id = $1', [projectId])
  expect([await send(first), await send(second)]).toEqual([401, 200])
  const { secret: third } = await client.projects.rotateInboundSecret.mutate({ projectId, overlapHours: 0 })
  expect([await send(second), await send(third)]).toEqual([401, 200])
  const logs = await client.auth.getAuditLogs.query({})
  expect(logs.filter(({ action }) => action === 'inbound_secret_rotated')).toHaveLength(3)
  expect(JSON.stringify(logs)).not.toContain(third)
})

test('deletes deliveries after 30 days', async () => {
  const { outcomeOf, list } = await setUp()
  await outcomeOf({ event: 'ping', payload: {} })
  await cleanUpDeliveries(app.dataSource.manager, new Date(Date.now() + 29 * 86_400_000))
  expect(await list()).toHaveLength(1)
  await cleanUpDeliveries(app.dataSource.manager, new Date(Date.now() + 31 * 86_400_000))
  expect(await list()).toEqual([])
})

test('a project with a full queue does not delay other projects', async () => {
  const repository = 'https://example.com/shared/repository.git'
  const blocked = await setUp({}, { repository })
  const other = await setUp({}, { repository })
  for (let index = 0; index < 5; index++) {
    await app.dataSource.query(
      `INSERT INTO analyses (id, project_id, status, requested_branch, created_at) VALUES ($1, $2, 'pending', $1, now())`,
      [`full-${index}`, blocked.projectId],
    )
  }
  const payload = pushPayload({ repository: { clone_url: repository, private: false } })
  await deliver(app, '/webhooks/code_host', { secret: shared.secret, event: 'push', payload, id: 'for-both' })
  const analyses = (projectId: string) =>
    app.dataSource.query('SELECT 1 FROM analyses WHERE project_id = $1 AND requested_commit IS NOT NULL', [projectId])
  await expect.poll(() => analyses(other.projectId)).toHaveLength(1)
  expect(await analyses(blocked.projectId)).toEqual([])
  await app.dataSource.query("DELETE FROM analyses WHERE id LIKE 'full-%'")
})
