import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contextOfSystem } from '../base/context.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { dumpDatabase } from '../testing/dump.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { type GiteaHost, giteaPath, giteaPullRequestOf, startGiteaHost } from '../testing/gitea-host.ts'
import { type GitLabHost, gitLabPath, mergeRequestOf, startGitLabHost } from '../testing/gitlab-host.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { postComment, postReport } from '../code-host-posts/post.ts'
import { reportOf, settled } from '../code-host-posts/testing/scene.ts'
import { findPullRequest, findPullRequestOf, mayWrite } from './pull-request.ts'

const token = 'glpat-tokenOfTheConnection1234'
const commitSha = 'ab'.repeat(20)

let app: TestApp
let gitLab: GitLabHost
let gitea: GiteaHost
beforeAll(async () => {
  ;[gitLab, gitea, app] = await Promise.all([startGitLabHost(), startGiteaHost(), createTestApp()])
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await gitLab[Symbol.asyncDispose]()
  await gitea[Symbol.asyncDispose]()
})
beforeEach(() => {
  gitLab.tokens.clear()
  gitLab.tokens.set(token, { username: 'bot', scopes: ['api'] })
  gitLab.members.clear()
  gitLab.members.set('bot', 30).set('ada', 40).set('bob', 20)
  gitLab.statuses.clear()
  gitLab.notes.length = 0
  gitLab.mergeRequests.clear()
  gitLab.mergeRequests.set(7, mergeRequestOf(7, commitSha))
  gitea.tokens.clear()
  gitea.tokens.set(token, { login: 'bot' })
  gitea.collaborators.clear()
  gitea.collaborators.set('bot', 'write').set('ada', 'owner').set('bob', 'read')
  gitea.statuses.clear()
  gitea.comments.length = 0
  gitea.pullRequests.clear()
  gitea.pullRequests.set(7, giteaPullRequestOf(7, commitSha))
  for (const host of [gitLab, gitea]) host.fault = undefined
})

const kinds = ['gitlab', 'gitea'] as const
type Kind = (typeof kinds)[number]
const hostOf = (kind: Kind) => (kind === 'gitlab' ? gitLab : gitea)

async function setUp(kind: Kind, repository = `${hostOf(kind).url}/${kind === 'gitlab' ? gitLabPath : giteaPath}.git`) {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user, repository })
  const client = app.client(await createTokenFor(app, { user }))
  const projectId = project.id
  const connect = (given = token, fields: { apiUrl?: string } = {}) =>
    client.codeHost.setConnection.mutate({ projectId, kind, token: given, ...fields })
  const inTransaction = (work: (tx: Parameters<typeof postReport>[0]) => Promise<void>) =>
    app.dataSource.transaction((db) => work({ db, jobs: app.services.jobs }))
  return {
    project,
    projectId,
    client,
    connect,
    ctx: contextOfSystem(app.services, app.dataSource.manager, {
      requestId: 'test',
      signal: new AbortController().signal,
    }),
    connection: async () => (await client.codeHost.getConnection.query({ projectId })).connection,
    report: (fields: object) => inTransaction((tx) => postReport(tx, { ...reportOf(projectId, commitSha), ...fields })),
    comment: (body: string, create = true) =>
      inTransaction((tx) => postComment(tx, { projectId, pullRequest: 7, body, create })),
    settled: () => settled(app, projectId),
  }
}

const shown = {
  gitlab: () => gitLab.statuses.get(commitSha)?.map(({ status, description }) => [status, description]),
  gitea: () => gitea.statuses.get(commitSha)?.map(({ status, description }) => [status, description]),
}
const bodies = {
  gitlab: () => gitLab.notes.map(({ body }) => body.split('\n')[1]),
  gitea: () => gitea.comments.map(({ body }) => body.split('\n')[1]),
}

test.each(kinds)('stores a token of %s that it never shows again', async (kind) => {
  const { client, projectId, connect, connection } = await setUp(kind)
  expect(await connection()).toBeNull()
  await connect()
  const stored = await connection()
  expect(stored).toMatchObject({ kind, apiUrl: hostOf(kind).apiUrl, lastProblem: null })
  expect(JSON.stringify(stored)).not.toContain(token)
  expect(await dumpDatabase(app)).not.toContain(token)
  expect(app.logLines.join('\n')).not.toContain(token)
  await client.codeHost.removeConnection.mutate({ projectId })
  expect(await connection()).toBeNull()
  const logs = await client.auth.getAuditLogs.query({ limit: 10 })
  expect(logs.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['code_host_connection_set', 'code_host_connection_removed']),
  )
})

test.each(kinds)('says what a token of %s lacks', async (kind) => {
  const { connect, connection } = await setUp(kind)
  await expect(connect('wrong')).rejects.toThrow('The code host rejects the token')
  gitLab.members.set('bot', 20)
  gitea.collaborators.set('bot', 'read')
  await expect(connect()).rejects.toThrow('may not push to the repository')
  gitLab.members.delete('bot')
  gitea.collaborators.delete('bot')
  await expect(connect()).rejects.toThrow('cannot see the repository')
  if (kind === 'gitlab') {
    gitLab.members.set('bot', 30)
    gitLab.tokens.set(token, { username: 'bot', scopes: ['read_api'] })
    await expect(connect()).rejects.toThrow('The token lacks the scope api.')
  }
  expect(await connection()).toBeNull()
})

test.each([
  'http://169.254.169.254/api/v4',
  'http://10.0.0.1/api/v4',
  'ftp://gitlab.example.com',
  'https://me:secret@gitlab.example.com/api/v4',
  'https://gitlab.example.com/api/v4?a=b',
  'gitlab.example.com',
])('refuses the address %s', async (apiUrl) => {
  const { connect } = await setUp('gitlab')
  await expect(connect(token, { apiUrl })).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
})

test('does not use the token for another repository', async () => {
  const { connect, client, projectId, connection, report, settled } = await setUp('gitlab')
  await connect()
  await client.projects.updateProject.mutate({ projectId, repository: `${gitLab.url}/other/app` })
  gitLab.requests.length = 0
  await report({})
  await settled()
  expect(gitLab.requests).toEqual([])
  expect(await connection()).toMatchObject({
    lastProblem: 'the repository of the project was changed after the connection was set',
  })
})

test.each(kinds)('posts the states of a report to %s in order', async (kind) => {
  const { connect, report, settled } = await setUp(kind)
  await connect()
  for (const state of ['pending', 'pending', 'failure', 'pending', 'neutral'] as const) {
    await report({ state, title: `It is ${state}.` })
    await settled()
  }
  expect(shown[kind]()).toEqual(
    kind === 'gitlab'
      ? [
          ['failed', 'It is failure.'],
          ['success', 'It is neutral.'],
        ]
      : [
          ['pending', 'It is pending.'],
          ['pending', 'It is pending.'],
          ['failure', 'It is failure.'],
          ['pending', 'It is pending.'],
          ['success', 'It is neutral.'],
        ],
  )
})

test.each(kinds)('edits one comment at %s, and finds it again behind many others', async (kind) => {
  const { connect, comment, settled } = await setUp(kind)
  await connect()
  await comment('Not wanted.', false)
  await settled()
  for (let id = 1_001; id <= 1_120; id++) {
    gitLab.notes.push({ id, iid: 7, body: `\n${id}`, author: { username: 'ada' } })
    gitea.comments.push({ id, number: 7, body: `\n${id}`, user: { login: 'ada' } })
  }
  await comment('First.')
  await settled()
  await app.dataSource.query('DELETE FROM code_host_posts')
  await comment('Second.', false)
  await settled()
  expect(bodies[kind]()?.filter((body) => !/^\d+$/.test(body ?? ''))).toEqual(['Second.'])
})

test.each(kinds)('a lost answer of %s repeats neither a status nor a comment', async (kind) => {
  const { connect, comment, report, settled } = await setUp(kind)
  await connect()
  hostOf(kind).fault = { kind: 'cut', times: 1, match: /^POST .*\/(?:notes|comments)$/ }
  await comment('Once.')
  await settled()
  hostOf(kind).fault = { kind: 'cut', times: 1, match: /^POST .*\/statuses\// }
  await report({ state: 'failure', title: 'Red.' })
  await settled()
  expect(bodies[kind]()).toEqual(['Once.'])
  expect(shown[kind]()).toHaveLength(1)
})

test.each(kinds)('reads pull requests of %s and who may write', async (kind) => {
  const { connect, ctx, project } = await setUp(kind)
  await connect()
  const expected = {
    number: 7,
    title: 'Prices in euros',
    headSha: commitSha,
    headBranch: 'euros',
    baseBranch: 'main',
    baseSha: '2'.repeat(40),
    isFork: false,
    isOpen: true,
  }
  expect(await findPullRequest(ctx, project, 7)).toMatchObject(expected)
  expect(await findPullRequest(ctx, project, 8)).toBeUndefined()
  expect(await findPullRequestOf(ctx, project, { headSha: commitSha })).toMatchObject(expected)
  expect(await findPullRequestOf(ctx, project, { branch: 'euros' })).toMatchObject(expected)
  expect(await findPullRequestOf(ctx, project, { headSha: 'c'.repeat(40) })).toBeUndefined()
  const may = await Promise.all(['ada', 'bob', 'eve'].map((login) => mayWrite(ctx, project, login)))
  expect(may).toEqual([true, false, false])
})

test('deleting a project deletes its connection', async () => {
  const { connect, projectId } = await setUp('gitlab')
  await connect()
  await app.dataSource.getRepository(ProjectEntity).delete({ id: projectId })
  expect(await app.dataSource.query('SELECT 1 FROM code_host_connections WHERE project_id = $1', [projectId])).toEqual(
    [],
  )
})
