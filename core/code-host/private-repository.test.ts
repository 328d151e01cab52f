import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AnalysisEntity } from '../analysis/entity.ts'
import type { UserRow } from '../identity/users/entity.ts'
import { newId } from '../base/ids.ts'
import { MembershipEntity, OrganizationEntity } from '../identity/organizations/entity.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { dumpDatabase } from '../testing/dump.ts'
import { createLinkFor, createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'

const token = 'secretTokenThatLooksLikeNothing42'
const forms = [token, Buffer.from(`x-access-token:${token}`).toString('base64')]

let app: TestApp
let host: CodeHost
let repository: GitRepository
let repositoryUrl: string
beforeAll(async () => {
  repository = await createGitRepository({ 'a.ts': 'export const a = (n: number) => (n > 1 ? n : 2)\n' })
  await repository.git('branch', '-m', 'trunk')
  host = await startCodeHost({ git: { 'octocat/secret': repository.path } })
  app = await createTestApp({ codeHost: host.config, logLevel: 'trace' })
  repositoryUrl = `${host.url}/octocat/secret`
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})
beforeEach(() => {
  host.tokens = new Map([[token, { login: 'octocat', scopes: ['repo'] }]])
  host.requests = []
})

const clientOf = async (user: UserRow, fields: { projectId?: string } = {}) =>
  app.client(await createTokenFor(app, { user, ...fields }))

/** Runs an analysis and returns its record at the end. */
async function analyze(user: UserRow, projectId: string) {
  const client = await clientOf(user)
  const { id } = await client.analysis.startAnalysis.mutate({ projectId })
  return client.analysis.getAnalysis.query({ analysisId: id, waitSeconds: 30 })
}

async function createOrganizationOf(...users: UserRow[]): Promise<string> {
  const id = newId(new Date())
  const now = new Date()
  await app.dataSource
    .getRepository(OrganizationEntity)
    .insert({ id, name: 'Shop', slug: id.toLowerCase(), description: null, createdAt: now, updatedAt: now })
  for (const { id: userId } of users) {
    const member = { id: newId(now), organizationId: id, userId, role: 'admin' as const, createdAt: now }
    await app.dataSource.getRepository(MembershipEntity).insert(member)
  }
  return id
}

async function commandLines(): Promise<string[]> {
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  return Promise.all(processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')))
}

async function filesOf(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))
}

test('reads a private repository with its owner’s token, which appears nowhere', async () => {
  const { user } = await createLinkFor(app, { accessToken: token })
  const client = await clientOf(user)
  const project = await client.projects.createProject.mutate({ name: 'Secret', repository: repositoryUrl })
  expect(project.branch).toBe('trunk')

  const { id } = await client.analysis.startAnalysis.mutate({ projectId: project.id })
  const analysis = client.analysis.getAnalysis.query({ analysisId: id, waitSeconds: 30 })
  const ended = new AbortController()
  void analysis.finally(() => ended.abort())
  const seen = new Set<string>()
  while (!ended.signal.aborted) {
    for (const line of await commandLines()) seen.add(line)
    await sleep(2)
  }
  expect(await analysis).toMatchObject({ status: 'completed', filesAnalyzed: 1, branch: 'trunk' })
  expect(host.requests.filter((request) => request.token === token).length).toBeGreaterThan(2)

  if (process.platform === 'linux') expect([...seen].join('\n')).toContain('remote-http')
  const files = await filesOf(app.config.dataDir)
  expect(files.length).toBeGreaterThan(3)
  const places = { ps: [...seen], files, log: app.logLines, database: [await dumpDatabase(app)] }
  for (const [place, texts] of Object.entries(places)) {
    expect(
      forms.filter((form) => texts.some((text) => text.includes(form))),
      place,
    ).toEqual([])
  }
})

test('looks up the branch of a running analysis with the token, too', async () => {
  const { user } = await createLinkFor(app, { accessToken: token })
  const project = await createProjectFor(app, { user, repository: repositoryUrl, branch: 'trunk' })
  const sha = await repository.git('rev-parse', 'HEAD')
  const row = {
    id: newId(new Date()),
    projectId: project.id,
    status: 'running' as const,
    requestedBranch: 'trunk',
    requestedCommit: null,
    branch: 'trunk',
    commitSha: sha,
    filesAnalyzed: 0,
    testCandidates: 0,
    languages: {},
    frameworks: [],
    progress: null,
    error: null,
    createdAt: new Date(),
    startedAt: new Date(),
    completedAt: null,
  }
  await app.dataSource.getRepository(AnalysisEntity).insert(row)
  const joined = await (await clientOf(user)).analysis.startAnalysis.mutate({ projectId: project.id })
  expect(joined.id).toBe(row.id)
})

test('without a valid token the analysis fails and says what to do', async () => {
  const stranger = await createUser(app)
  const unlinked = await createProjectFor(app, { user: stranger, repository: repositoryUrl, branch: 'trunk' })
  expect((await analyze(stranger, unlinked.id)).error).toMatchObject({
    code: 'authentication_required',
    message: expect.stringContaining('has not linked an account of the code host'),
  })

  const { user: modest } = await createLinkFor(app, { accessToken: token, scope: 'read:user' })
  const narrow = await createProjectFor(app, { user: modest, repository: repositoryUrl, branch: 'trunk' })
  expect((await analyze(modest, narrow.id)).error?.message).toContain('linked without the scope "repo"')
  expect(host.requests.some((request) => request.token === token)).toBe(false)

  const { user } = await createLinkFor(app, { accessToken: token })
  const project = await createProjectFor(app, { user, repository: repositoryUrl, branch: 'trunk' })
  host.tokens.set(token, { login: 'hubot', scopes: ['repo'] })
  expect((await analyze(user, project.id)).error).toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('The linked account octocat cannot read it'),
  })
  host.tokens.clear()
  const revoked = await analyze(user, project.id)
  expect(revoked.error?.message).toMatch(/its token was revoked.*link-social/)
  expect(JSON.stringify(revoked)).not.toContain(token)
  expect(app.logLines.join('\n')).not.toContain(token)
})

test('refreshes an expired token before reading the repository', async () => {
  const next = { login: 'octocat', scopes: ['repo'], accessToken: 'renewedToken', refreshToken: 'nextRefreshToken' }
  host.refreshTokens.set('firstRefreshToken', next)
  const tokens = { accessToken: 'expiredToken', refreshToken: 'firstRefreshToken', expiresInSeconds: 30 }
  const { user } = await createLinkFor(app, tokens)
  const project = await createProjectFor(app, { user, repository: repositoryUrl, branch: 'trunk' })
  expect(await analyze(user, project.id)).toMatchObject({ status: 'completed' })
  expect(host.requests.some((request) => request.token === 'expiredToken')).toBe(false)
})

test('sends the token to no other host, whatever the URL looks like', async () => {
  const { user } = await createLinkFor(app, { accessToken: token })
  await using elsewhere = await startGitHost({ app: repository.path })
  const seen: (string | undefined)[] = []
  await using other = await startCodeHost({ git: { 'octocat/secret': repository.path } })
  for (const url of [`${elsewhere.url}/app`, `${other.url}/octocat/secret`]) {
    const project = await createProjectFor(app, { user, repository: url, branch: 'trunk' })
    seen.push((await analyze(user, project.id)).status)
  }
  expect(seen).toEqual(['completed', 'failed'])
  expect(other.requests.length).toBeGreaterThan(0)
  expect(other.requests.every((request) => request.token === undefined)).toBe(true)
})

test('a revoked token does not prevent reading a public repository', async () => {
  const { user } = await createLinkFor(app, { accessToken: 'revokedToken' })
  const client = await clientOf(user)
  host.open.add('octocat/secret')
  try {
    const { id, branch } = await client.projects.createProject.mutate({ name: 'Open', repository: repositoryUrl })
    expect(branch).toBe('trunk')
    expect((await analyze(user, id)).status).toBe('completed')
  } finally {
    host.open.clear()
  }
  expect(host.requests.some((request) => request.token === 'revokedToken')).toBe(true)
})

test('a user cannot read with the account of another by changing a project’s repository', async () => {
  const { user: victim } = await createLinkFor(app, { accessToken: token })
  const attacker = await createUser(app)
  const organizationId = await createOrganizationOf(victim, attacker)
  const fields = { user: victim, organizationId, branch: 'trunk' }
  const project = await createProjectFor(app, { ...fields, repository: `${host.url}/octocat/harmless` })
  const change = { projectId: project.id, repository: repositoryUrl }
  await (await clientOf(attacker)).projects.updateProject.mutate(change)
  // Not even if the victim starts the analysis.
  for (const who of [attacker, victim]) {
    expect((await analyze(who, project.id)).error?.message).toContain('has not linked an account')
  }
  expect(host.requests.some((request) => request.token === token)).toBe(false)
  // If the victim chooses the repository, every member of the organization may analyze it.
  await (await clientOf(victim)).projects.updateProject.mutate(change)
  expect((await analyze(attacker, project.id)).status).toBe('completed')

  // Saving it unchanged keeps that account.
  await (await clientOf(attacker)).projects.updateProject.mutate(change)
  expect((await analyze(victim, project.id)).status).toBe('completed')

  await app.dataSource.getRepository(MembershipEntity).delete({ organizationId, userId: victim.id })
  expect((await analyze(attacker, project.id)).error?.message).toContain('no longer belongs to this project')
})

test('a token that is restricted to a project cannot read other repositories of its user', async () => {
  const { user } = await createLinkFor(app, { accessToken: token })
  const project = await createProjectFor(app, { user, repository: `${host.url}/octocat/harmless`, branch: 'trunk' })
  const confined = await clientOf(user, { projectId: project.id })
  await confined.projects.updateProject.mutate({ projectId: project.id, repository: repositoryUrl })
  expect((await analyze(user, project.id)).status).toBe('failed')
  expect(host.requests.some((request) => request.token === token)).toBe(false)
  await (await clientOf(user)).projects.updateProject.mutate({ projectId: project.id, repository: repositoryUrl })
  await confined.projects.updateProject.mutate({ projectId: project.id, repository: repositoryUrl })
  expect((await analyze(user, project.id)).status).toBe('completed')
})
