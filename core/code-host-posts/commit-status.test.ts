import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { createLinkFor, createProjectFor, createUser } from '../testing/factories.ts'
import { postJob } from './job.ts'
import { postCommitStatus } from './post.ts'
import type { CommitStatus } from './schema.ts'

const token = 'gho_tokenForStatuses12345678'
const commitSha = 'ab'.repeat(20)

let app: TestApp
let host: CodeHost
beforeAll(async () => {
  host = await startCodeHost()
  app = await createTestApp({ codeHost: host.config })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})
beforeEach(() => {
  host.tokens = new Map([[token, { login: 'octocat', scopes: ['repo'] }]])
  host.statuses.clear()
  host.fault = undefined
  host.delayMs = 0
  host.requests = []
})

async function setUp(repository = `${host.url}/octocat/app.git`) {
  const { user } = await createLinkFor(app, { accessToken: token })
  const { id: projectId } = await createProjectFor(app, { user, repository })
  return { projectId, post: (change: Partial<CommitStatus>) => post({ projectId, ...change }) }
}

function post(change: Partial<CommitStatus> & { projectId: string }): Promise<void> {
  const status = { commitSha, context: 'assay', state: 'pending' as const, description: '', targetUrl: null, ...change }
  return app.dataSource.transaction((db) => postCommitStatus({ db, jobs: app.services.jobs }, status))
}

const shown = () => host.statuses.get(`/repos/octocat/app/statuses/${commitSha}`) ?? []

async function settled(): Promise<void> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const [{ count }] = await app.dataSource.query(
      'SELECT count(*)::int AS count FROM code_host_posts WHERE posted_version < version',
    )
    if (count === 0) return
    if (Date.now() > deadline) throw new Error(`${count} posts still wait`)
    await sleep(20)
  }
}

test('posts a commit status with a truncated description', async () => {
  const { post } = await setUp()
  await post({ state: 'success', description: 'x'.repeat(200), targetUrl: 'https://assay.example.com/runs/1' })
  await settled()
  expect(shown()).toEqual([
    {
      state: 'success',
      description: `${'x'.repeat(139)}…`,
      context: 'assay',
      target_url: 'https://assay.example.com/runs/1',
    },
  ])
})

test('the latest status of a context arrives last with a slow host, independently of other contexts', async () => {
  const { post } = await setUp()
  host.delayMs = 150
  await post({ context: 'other', state: 'failure' })
  for (const state of ['pending', 'error', 'failure', 'success'] as const) {
    await post({ state })
    await sleep(60)
  }
  await settled()
  expect(
    shown()
      .filter(({ context }) => context === 'assay')
      .at(-1),
  ).toMatchObject({ state: 'success' })
  expect(shown().filter(({ context }) => context === 'other')).toMatchObject([{ state: 'failure' }])
})

test('an earlier status never arrives last with two processes', async () => {
  await using web = await createTestApp({ codeHost: host.config, role: 'web' })
  const { user } = await createLinkFor(web, { accessToken: token })
  const { id: projectId } = await createProjectFor(web, { user, repository: `${host.url}/octocat/app` })
  const key = { projectId, commitSha, context: 'assay' }
  const report = (state: CommitStatus['state']) =>
    web.dataSource.transaction((db) =>
      postCommitStatus({ db, jobs: web.services.jobs }, { ...key, state, description: '', targetUrl: null }),
    )
  const work = (version: number) =>
    postJob(web.services, web.dataSource).handle(
      { projectId, kind: 'report', target: `${commitSha}/assay`, version },
      AbortSignal.timeout(20_000),
    )
  host.delayMs = 400
  await report('pending')
  const first = work(1)
  while (host.requests.length === 0) await sleep(5)
  host.delayMs = 0
  await report('success')
  const second = work(2)
  // Octokit serializes writes within a process; across processes only the database keeps the order.
  const waiting = `SELECT count(*)::int AS count FROM pg_locks JOIN pg_database d ON d.oid = database
                    WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`
  await expect.poll(async () => (await web.dataSource.query(waiting))[0].count, { interval: 20 }).toBe(1)
  await Promise.all([first, second])
  expect(shown().map(({ state }) => state)).toEqual(['pending', 'success'])
})

test('posts nothing if the transaction is rolled back', async () => {
  const { projectId } = await setUp()
  const status: CommitStatus = { projectId, commitSha, context: 'a', state: 'error', description: '', targetUrl: null }
  const undone = app.dataSource.transaction(async (db) => {
    await postCommitStatus({ db, jobs: app.services.jobs }, status)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await post({ ...status, context: 'b' })
  await settled()
  expect(shown().map(({ context }) => context)).toEqual(['b'])
})

test('retries an unavailable host with the status that is the latest by then', async () => {
  const { post } = await setUp()
  host.fault = { kind: { status: 503, body: '' }, times: 2 }
  await post({ state: 'pending' })
  while (host.requests.length < 2) await sleep(20)
  await post({ state: 'success' })
  await settled()
  expect(shown().at(-1)).toMatchObject({ state: 'success' })
})

test('logs a status that cannot be posted, without secrets', async () => {
  const unlinked = await createProjectFor(app, { user: await createUser(app), repository: `${host.url}/octocat/app` })
  await post({ projectId: unlinked.id })
  const elsewhere = await setUp('https://example.com/octocat/app')
  await elsewhere.post({})
  const { projectId, post: postHere } = await setUp()
  host.tokens.set(token, { login: 'octocat', scopes: [] })
  await postHere({})
  await settled()
  expect(shown()).toEqual([])
  const given = (id: string) => app.logLines.filter((line) => line.includes(id) && line.includes('gave up'))
  for (const id of [unlinked.id, projectId]) await expect.poll(() => given(id)).toHaveLength(1)
  // The repository is not at the code host.
  expect(given(elsewhere.projectId)).toEqual([])
  expect(app.logLines.join('\n')).not.toContain(token)
})

test('deleting a project deletes its waiting posts', async () => {
  const { projectId, post } = await setUp()
  host.tokens.clear()
  host.fault = { kind: { status: 503, body: '' }, times: 99 }
  await post({})
  await app.dataSource.query('DELETE FROM projects WHERE id = $1', [projectId])
  await settled()
})

test.each([
  { commitSha: '../../user' },
  { commitSha: 'AB'.repeat(20) },
  { targetUrl: 'javascript:alert(1)' },
  { context: '' },
])('rejects %j', async (change) => {
  const { post } = await setUp()
  await expect(post(change)).rejects.toThrow(Object.keys(change)[0])
})
