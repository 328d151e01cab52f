import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPullRequest } from '../code-host-posts/testing/scene.ts'
import { createTestApp, runSettings, type TestApp } from '../testing/app.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { createLinkFor, createProjectFor, createTokenFor } from '../testing/factories.ts'
import { deliver } from './testing.ts'

const appSecret = 'the secret of the app'
let host: CodeHost
let app: TestApp
beforeAll(async () => {
  host = await startCodeHost({ repositories: [{ owner: 'octocat', name: 'shop', auto_init: true }], withApp: true })
  // No worker runs, so that runs stay queued.
  const runs = { ...runSettings, runConcurrency: 0 }
  app = await createTestApp({
    codeHost: host.config,
    inbound: { secret: undefined, appSecret, legacySha1: false },
    runs,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

async function setUp() {
  const { user } = await createLinkFor(app, { accessToken: 'gho_token' })
  const repository = `${host.url}/octocat/shop`
  const { id: projectId } = await createProjectFor(app, { user, repository })
  const client = app.client(await createTokenFor(app, { user }))
  const pull = await openPullRequest(host)
  const outcomeOf = async (event: string, payload: object) => {
    const full = { repository: { id: 1, clone_url: `${repository}.git`, private: false }, ...payload }
    const before = (await client.inbound.list.query({ projectId })).pagination.total
    expect(
      (await deliver(app, '/api/webhooks/code-host-app', { secret: appSecret, event, payload: full })).status,
    ).toBe(200)
    const list = () => client.inbound.list.query({ projectId })
    await expect.poll(async () => (await list()).pagination.total).toBe(before + 1)
    await expect.poll(async () => (await list()).deliveries[0]?.status).not.toBe('received')
    return (await list()).deliveries[0]
  }
  const runOf = async (runId: string) => client.testRuns.get.query({ runId })
  return { pull, outcomeOf, runOf, projectId, client }
}

const sender = { login: 'octocat', type: 'User' }
const own = { id: 4_711 }

test('a check that is requested again runs the head of its pull request', async () => {
  const { pull, outcomeOf } = await setUp()
  const check = { head_sha: pull.commitSha, app: own, check_suite: { head_branch: pull.branch } }
  const again = { action: 'rerequested', sender }
  expect(await outcomeOf('check_run', { ...again, check_run: check })).toMatchObject({
    status: 'processed',
    branch: pull.branch,
    effects: [{ kind: 'run', runId: expect.any(String) }],
  })
  const suite = { head_sha: pull.commitSha, app: own, head_branch: pull.branch }
  expect(await outcomeOf('check_suite', { ...again, check_suite: suite })).toMatchObject({ status: 'processed' })
  // A user without rights.
  const byOther = { ...again, sender: { login: 'hubot', type: 'User' }, check_run: check }
  expect(await outcomeOf('check_run', byOther)).toMatchObject({
    status: 'ignored',
    reason: 'The user hubot may not push to the repository, so the command has no effect.',
  })
  // Not the head of the branch of the repository.
  const old = { ...check, head_sha: 'c'.repeat(40) }
  expect(await outcomeOf('check_run', { ...again, check_run: old })).toMatchObject({
    status: 'ignored',
    reason: `The commit ${'c'.repeat(40)} is not the head of the branch ${pull.branch}.`,
  })
})

test('/assay rerun at a pull request of GitHub runs its head', async () => {
  const { pull, outcomeOf, runOf } = await setUp()
  const { body } = { body: '/assay rerun' }
  const issue = { number: pull.number, pull_request: { url: 'https://api.github.com/repos/octocat/shop/pulls/1' } }
  const outcome = await outcomeOf('issue_comment', { action: 'created', sender, issue, comment: { body } })
  expect(outcome).toMatchObject({ status: 'processed', pullRequest: pull.number })
  const [effect] = outcome?.effects ?? []
  const run = await runOf(effect?.kind === 'run' ? effect.runId : '')
  expect(run).toMatchObject({ commitSha: pull.commitSha, branch: pull.branch })
})

test('checks of other apps command nothing', async () => {
  const { pull, client, projectId } = await setUp()
  const payload = {
    action: 'rerequested',
    sender,
    repository: { clone_url: `${host.url}/octocat/shop.git`, private: false },
    check_run: { head_sha: pull.commitSha, app: { id: 1 } },
  }
  const delivery = { secret: appSecret, event: 'check_run', payload }
  expect((await deliver(app, '/api/webhooks/code-host-app', delivery)).status).toBe(200)
  const [stored] = await app.dataSource.query('SELECT status FROM inbound_deliveries ORDER BY id DESC LIMIT 1')
  expect(stored).toEqual({ status: 'ignored' })
  expect((await client.inbound.list.query({ projectId })).deliveries).toEqual([])
})
