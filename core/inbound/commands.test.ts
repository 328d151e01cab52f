import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { TestRunEntity } from '../test-runs/entity.ts'
import { createTestApp, runSettings, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { type GiteaHost, giteaPath, giteaPullRequestOf, startGiteaHost } from '../testing/gitea-host.ts'
import { type GitLabHost, gitLabPath, mergeRequestOf, startGitLabHost } from '../testing/gitlab-host.ts'
import { deliver, signatureOf } from './testing.ts'

const token = 'token-of-the-connection-1234'
const head = 'ab'.repeat(20)
let app: TestApp
let gitLab: GitLabHost
let gitea: GiteaHost
beforeAll(async () => {
  // No worker runs, so that runs stay queued.
  const runs = { ...runSettings, runConcurrency: 0 }
  ;[gitLab, gitea, app] = await Promise.all([startGitLabHost(), startGiteaHost(), createTestApp({ runs })])
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await gitLab[Symbol.asyncDispose]()
  await gitea[Symbol.asyncDispose]()
})
beforeEach(() => {
  gitLab.tokens.set(token, { username: 'bot', scopes: ['api'] })
  gitLab.members.clear()
  gitLab.members.set('bot', 30).set('ada', 30).set('bob', 20)
  gitLab.mergeRequests.set(7, mergeRequestOf(7, head))
  gitea.tokens.set(token, { login: 'bot' })
  gitea.collaborators.set('bot', 'write').set('ada', 'write').set('bob', 'read')
  gitea.pullRequests.set(7, giteaPullRequestOf(7, head, { headId: 2 }))
  gitLab.fault = undefined
  gitea.fault = undefined
})

type Kind = 'gitlab' | 'gitea'
let count = 0

async function setUp(kind: Kind) {
  const user = await createUser(app)
  const address = kind === 'gitlab' ? `${gitLab.url}/${gitLabPath}` : `${gitea.url}/${giteaPath}`
  const { id: projectId } = await createProjectFor(app, { user, repository: `${address}.git` })
  const client = app.client(await createTokenFor(app, { user }))
  await client.codeHost.setConnection.mutate({ projectId, kind, token })
  const { secret, url } = await client.projects.rotateInboundSecret.mutate({ projectId })
  const path = new URL(url).pathname
  const newest = async () => (await client.inbound.list.query({ projectId })).deliveries[0]
  const settled = async () => {
    await expect.poll(async () => (await newest())?.status).not.toBe('received')
    const found = await newest()
    const [effect] = found?.effects ?? []
    const runId = effect?.kind === 'run' ? effect.runId : null
    return { ...found, run: runId && (await app.dataSource.getRepository(TestRunEntity).findOneBy({ id: runId })) }
  }
  const send = async (payload: object, headers: Record<string, string>) => {
    const body = JSON.stringify(payload)
    const response = await app.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    return response.status
  }
  return {
    secret,
    path,
    settled,
    /** Delivers like GitLab. */
    sendGitLab: async (hook: string, payload: object, headers: Record<string, string> = {}) => {
      const own = { 'x-gitlab-event': hook, 'x-gitlab-event-uuid': `uuid-${++count}`, 'x-gitlab-token': secret }
      return send(
        { project: { id: 1, git_http_url: `${address}.git`, visibility_level: 0 }, ...payload },
        { ...own, ...headers },
      )
    },
    /** Delivers like Gitea before it sent the headers of GitHub, or like Forgejo. */
    sendGitea: async (event: string, payload: object, sender = 'gitea') => {
      const full = { repository: { id: 1, clone_url: `${address}.git`, private: true }, ...payload }
      return send(full, {
        [`x-${sender}-event`]: event,
        [`x-${sender}-delivery`]: `delivery-${++count}`,
        [`x-${sender}-signature`]: signatureOf(secret, JSON.stringify(full)).slice('sha256='.length),
      })
    },
  }
}

const note = (body: string, username = 'ada') => ({
  user: { username },
  object_attributes: { note: body, noteable_type: 'MergeRequest' },
  merge_request: { iid: 7, source_branch: 'euros', target_branch: 'main', source_project_id: 1, target_project_id: 1 },
})
const comment = (body: string, login = 'ada', type = 'User') => ({
  action: 'created',
  sender: { login, type },
  issue: { number: 7, pull_request: { merged: false } },
  comment: { body },
})

test('GitLab: a push and a merge request run tests', async () => {
  const { sendGitLab, settled } = await setUp('gitlab')
  expect(await sendGitLab('Push Hook', { ref: 'refs/heads/main', after: head, user_username: 'ada' })).toBe(200)
  expect(await settled()).toMatchObject({ event: 'push', branch: 'main', commitSha: head, status: 'processed' })
  const merge = (action: string, more: object = {}) => ({
    object_attributes: {
      ...note('').merge_request,
      source_project_id: 2,
      action,
      last_commit: { id: head },
      ...more,
    },
  })
  await sendGitLab('Merge Request Hook', merge('open'))
  expect(await settled()).toMatchObject({
    event: 'pull_request',
    action: 'opened',
    pullRequest: 7,
    fork: true,
    run: { source: 'pull_request', commitSha: head },
  })
  await sendGitLab('Merge Request Hook', merge('update', { oldrev: 'c'.repeat(40) }))
  expect(await settled()).toMatchObject({ action: 'synchronize', status: 'processed' })
  await sendGitLab('Merge Request Hook', merge('update'))
  expect(await settled()).toMatchObject({ action: 'edited', status: 'ignored' })
  await sendGitLab('Pipeline Hook', {})
  expect(await settled()).toMatchObject({ event: 'pipeline', status: 'ignored' })
})

test('GitLab: a delivery without the secret of the project is refused', async () => {
  const { sendGitLab, path } = await setUp('gitlab')
  const other = await setUp('gitlab')
  const push = { ref: 'refs/heads/main', after: head }
  expect(await sendGitLab('Push Hook', push, { 'x-gitlab-token': other.secret })).toBe(401)
  expect(await sendGitLab('Push Hook', push, { 'x-gitlab-token': '' })).toBe(401)
  // It is unclear which one counts.
  expect(await sendGitLab('Push Hook', push, { 'x-gitea-signature': 'a'.repeat(64) })).toBe(401)
  expect(await sendGitLab('Push Hook', push, { 'x-gitlab-event-uuid': '' })).toBe(400)
  expect((await deliver(app, path, { event: 'push', payload: push })).status).toBe(401)
})

test('GitLab: a shared receiver accepts no secret in a header', async () => {
  const inbound = { secret: 'the secret of all projects', appSecret: undefined, legacySha1: false }
  await using shared = await createTestApp({ inbound })
  const { status } = await shared.fetch('/webhooks/code_host', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gitlab-token': inbound.secret,
      'x-gitlab-event': 'Push Hook',
      'x-gitlab-event-uuid': 'uuid',
    },
    body: '{}',
  })
  expect(status).toBe(401)
})

test.each(['gitea', 'forgejo'])('%s: pushes and changed pull requests run tests', async (sender) => {
  const { sendGitea, settled } = await setUp('gitea')
  expect(await sendGitea('push', { ref: 'refs/heads/main', after: head }, sender)).toBe(200)
  expect(await settled()).toMatchObject({ event: 'push', status: 'processed' })
  const pull = { action: 'synchronized', pull_request: giteaPullRequestOf(7, head) }
  expect(await sendGitea('pull_request', pull, sender)).toBe(200)
  expect(await settled()).toMatchObject({ action: 'synchronize', run: { commitSha: head } })
})

test.each(['gitlab', 'gitea'] as const)('%s: /assay rerun runs the head of the pull request', async (kind) => {
  const { sendGitLab, sendGitea, settled } = await setUp(kind)
  const say = (body: string, login?: string) =>
    kind === 'gitlab' ? sendGitLab('Note Hook', note(body, login)) : sendGitea('issue_comment', comment(body, login))
  await say('/assay rerun\nplease')
  expect(await settled()).toMatchObject({
    event: 'issue_comment',
    status: 'processed',
    run: { source: 'pull_request', commitSha: head, pullRequest: 7, branch: kind === 'gitlab' ? 'euros' : null },
  })
  for (const body of ['Please /assay rerun', ' /assay rerun', '/assay rerun now', '\n/assay rerun', '> /assay rerun']) {
    await say(body)
    expect(await settled()).toMatchObject({ status: 'ignored', effects: [] })
  }
  for (const login of ['bob', 'eve']) {
    await say('/assay rerun', login)
    expect(await settled()).toMatchObject({
      status: 'ignored',
      reason: `The user ${login} may not push to the repository, so the command has no effect.`,
    })
  }
})

test('bots, closed pull requests and comments at issues command nothing', async () => {
  const { sendGitea, settled } = await setUp('gitea')
  await sendGitea('issue_comment', comment('/assay rerun', 'ada', 'Bot'))
  expect(await settled()).toMatchObject({ status: 'ignored' })
  await sendGitea('issue_comment', { ...comment('/assay rerun'), issue: { number: 7 } })
  expect(await settled()).toMatchObject({ status: 'ignored' })
  await sendGitea('issue_comment', { ...comment('/assay rerun'), action: 'edited' })
  expect(await settled()).toMatchObject({ status: 'ignored' })
  gitea.pullRequests.set(7, { ...giteaPullRequestOf(7, head), state: 'closed' })
  await sendGitea('issue_comment', comment('/assay rerun'))
  expect(await settled()).toMatchObject({ status: 'ignored', reason: 'The pull request 7 is closed.' })
})

test('a command waits while the code host is unavailable', async () => {
  const { sendGitea, settled } = await setUp('gitea')
  gitea.fault = { kind: { status: 500 }, times: 1 }
  await sendGitea('issue_comment', comment('/assay rerun'))
  expect(await settled()).toMatchObject({ status: 'processed', run: { commitSha: head } })
})
