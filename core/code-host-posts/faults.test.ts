import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { type GiteaHost, giteaPath, giteaPullRequestOf, startGiteaHost } from '../testing/gitea-host.ts'
import { type GitLabHost, gitLabPath, mergeRequestOf, startGitLabHost } from '../testing/gitlab-host.ts'
import { postComment, postReport } from './post.ts'
import { continueNow, createScene, reportOf, settled, token } from './testing/scene.ts'

const commitSha = 'ab'.repeat(20)
const hostToken = 'token-of-the-connection-1234'

let app: TestApp
let gitHub: CodeHost
let gitLab: GitLabHost
let gitea: GiteaHost
beforeAll(async () => {
  const repositories = [{ owner: 'octocat', name: 'shop', auto_init: true }]
  ;[gitHub, gitLab, gitea] = await Promise.all([
    startCodeHost({ repositories, withApp: true }),
    startGitLabHost(),
    startGiteaHost(),
  ])
  app = await createTestApp({ codeHost: gitHub.config })
  gitHub.tokens = new Map([[token, { login: 'octocat', scopes: ['repo'] }]])
  gitLab.tokens.set(hostToken, { username: 'bot', scopes: ['api'] })
  gitLab.members.set('bot', 30)
  gitLab.mergeRequests.set(7, mergeRequestOf(7, commitSha))
  gitea.tokens.set(hostToken, { login: 'bot' })
  gitea.collaborators.set('bot', 'write')
  gitea.pullRequests.set(7, giteaPullRequestOf(7, commitSha))
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  for (const host of [gitHub, gitLab, gitea]) await host[Symbol.asyncDispose]()
})
beforeEach(async () => {
  gitLab.statuses.clear()
  gitLab.notes.length = 0
  gitea.statuses.clear()
  gitea.comments.length = 0
  await app.dataSource.query('DELETE FROM code_host_limits')
})

type Kind = 'github' | 'gitlab' | 'gitea'
const kinds = ['github', 'gitlab', 'gitea'] as const

/** The calls that post a report or comment at each host. */
const posting = {
  github: /^(?:POST|PATCH) .*(?:check-runs|comments)/,
  gitlab: /^(?:POST|PUT) .*(?:statuses|notes)/,
  gitea: /^(?:POST|PATCH) .*(?:statuses|comments)/,
}

async function setUp(kind: Kind) {
  if (kind === 'github') {
    const scene = await createScene(app, gitHub)
    return {
      ...scene,
      host: gitHub,
      shown: async () => [(await scene.checkRuns()).length, (await scene.comments()).length],
      problem: async () => null,
    }
  }
  const host = kind === 'gitlab' ? gitLab : gitea
  const user = await createUser(app)
  const repository = `${host.url}/${kind === 'gitlab' ? gitLabPath : giteaPath}`
  const { id: projectId } = await createProjectFor(app, { user, repository })
  const client = app.client(await createTokenFor(app, { user }))
  host.fault = undefined
  await client.codeHost.setConnection.mutate({ projectId, kind, token: hostToken })
  const inTransaction = (work: (tx: Parameters<typeof postReport>[0]) => Promise<void>) =>
    app.dataSource.transaction((db) => work({ db, jobs: app.services.jobs }))
  return {
    host,
    projectId,
    report: () => inTransaction((tx) => postReport(tx, reportOf(projectId, commitSha))),
    comment: () => inTransaction((tx) => postComment(tx, { projectId, pullRequest: 7, body: 'Red.', create: true })),
    settled: () => settled(app, projectId),
    shown: async () => [
      (host.statuses.get(commitSha) ?? []).length,
      kind === 'gitlab' ? gitLab.notes.length : gitea.comments.length,
    ],
    problem: async () => (await client.codeHost.getConnection.query({ projectId })).connection?.lastProblem ?? null,
  }
}

const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1_000) + seconds)

const temporary = {
  'a server error': { status: 502, body: '{}', headers: {} },
  'a closed connection': 'hang_up',
  'a lost answer': 'cut',
} as const

test.each(kinds.flatMap((kind) => Object.entries(temporary).map(([name, fault]) => ({ kind, name, fault }))))(
  '$kind: posts once after $name',
  async ({ kind, fault }) => {
    const { host, report, comment, settled, shown } = await setUp(kind)
    host.fault = { kind: fault, times: 1, match: posting[kind] }
    await report()
    await settled()
    host.fault = { kind: fault, times: 1, match: posting[kind] }
    await comment()
    await settled()
    expect(await shown()).toEqual([1, 1])
  },
)

test('posts once after a call that hung', async () => {
  const { host, comment, settled, shown } = await setUp('gitlab')
  host.fault = { kind: 'swallow', times: 1, match: posting.gitlab }
  await comment()
  await settled()
  expect((await shown())[1]).toBe(1)
})

const limits = {
  'Retry-After': { status: 429, body: '{}', headers: { 'retry-after': '30' } },
  'a reset time': {
    status: 403,
    body: '{}',
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(600) },
  },
  'a secondary limit': {
    status: 403,
    body: JSON.stringify({ message: 'You have exceeded a secondary rate limit.' }),
    headers: { 'retry-after': '45' },
  },
  'a secondary limit without a time': {
    status: 403,
    body: JSON.stringify({ message: 'You have exceeded a secondary rate limit.' }),
    headers: {},
  },
}

test.each(kinds.flatMap((kind) => Object.entries(limits).map(([name, fault]) => ({ kind, name, fault }))))(
  '$kind: makes no call before the limit ends ($name)',
  async ({ kind, fault }) => {
    const { host, projectId, report, comment, settled, shown } = await setUp(kind)
    host.fault = { kind: fault, times: 1, match: posting[kind] }
    await report()
    const limited = () => app.dataSource.query('SELECT until FROM code_host_limits')
    await expect.poll(async () => (await limited()).length).toBe(1)
    const [{ until }] = await limited()
    expect(until.getTime() - Date.now()).toBeGreaterThan(10_000)
    // Other posts of the account wait, too.
    host.requests.length = 0
    await comment()
    const waiting = `SELECT count(*)::int AS count FROM pgboss.job
                      WHERE name = 'code-host-posts' AND state = 'created' AND start_after > now() + interval '5 seconds'`
    await expect.poll(async () => (await app.dataSource.query(waiting))[0].count).toBe(2)
    const calls = host.requests.map((each) => (typeof each === 'string' ? each : each.line))
    expect(calls.filter((line) => posting[kind].test(line))).toEqual([])
    await app.dataSource.query('DELETE FROM code_host_limits')
    await continueNow(app)
    await settled()
    expect(await shown()).toEqual([1, 1])
    expect(app.logLines.filter((line) => line.includes(projectId) && line.includes('gave up'))).toEqual([])
  },
)

const final = { 401: 'rejects the token', 403: 'does not allow this', 404: 'No such repository', 422: 'status 422' }

test.each(kinds.flatMap((kind) => Object.entries(final).map(([status, reason]) => ({ kind, status, reason }))))(
  '$kind: gives up after $status, says why, and posts the next',
  async ({ kind, status, reason }) => {
    const { host, projectId, report, settled, shown, problem } = await setUp(kind)
    host.fault = {
      kind: { status: Number(status), body: '{"message":"secretAnswer"}', headers: {} },
      times: 9,
      match: posting[kind],
    }
    await report()
    await settled()
    const lines = app.logLines.filter((line) => line.includes(projectId) && line.includes('gave up'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(reason)
    expect(app.logLines.join('\n')).not.toContain('secretAnswer')
    if (kind !== 'github') expect(await problem()).toContain(reason)
    host.fault = undefined
    await report()
    await settled()
    expect((await shown())[0]).toBe(1)
  },
)

test('gives up after about 20 minutes', async () => {
  const { host, projectId, report, settled, problem } = await setUp('gitea')
  host.fault = { kind: { status: 503 }, times: Number.POSITIVE_INFINITY, match: posting.gitea }
  await report()
  const state = async () =>
    (
      await app.dataSource.query(
        `SELECT failures, extract(epoch FROM start_after - created_on)::int AS seconds
           FROM code_host_posts p LEFT JOIN pgboss.job j ON j.name = 'code-host-posts' AND j.state = 'created'
            AND j.data->>'projectId' = p.project_id
          WHERE project_id = $1`,
        [projectId],
      )
    )[0]
  let total = 0
  for (let failures = 1; failures <= 8; failures++) {
    await expect.poll(async () => (await state()).failures).toBe(failures)
    total += (await state()).seconds
    await continueNow(app)
  }
  await settled()
  expect(total).toBe(5 * (2 ** 8 - 1))
  expect(await problem()).toContain('it has status 503')
  host.fault = undefined
})
