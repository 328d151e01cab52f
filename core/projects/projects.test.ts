import { afterAll, beforeAll, expect, test } from 'vitest'
import { decrypt } from '../base/crypto.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const repository = 'https://127.0.0.1:9/a/project.git'

test('creates, reads, changes and deletes a project', async () => {
  const client = app.client(await createTokenFor(app))
  const created = await client.projects.createProject.mutate({ name: ' Shop ', repository, branch: 'trunk' })
  expect(created).toMatchObject({ name: 'Shop', branch: 'trunk', language: null, organizationId: null })
  expect(await client.projects.getProject.query({ projectId: created.id })).toEqual({ ...created, testRuns: [] })

  const changed = await client.projects.updateProject.mutate({
    projectId: created.id,
    description: 'Sells',
    language: 'Go',
  })
  expect(changed).toMatchObject({ name: 'Shop', description: 'Sells', language: 'Go' })
  expect(await client.projects.updateProject.mutate({ projectId: created.id, language: null })).toMatchObject({
    description: 'Sells',
    language: null,
  })

  expect(await client.projects.deleteProject.mutate({ projectId: created.id })).toEqual({
    message: 'Project Shop is deleted.',
  })
  await expect(client.projects.getProject.query({ projectId: created.id })).rejects.toThrow('No such project')
})

test('uses main if the default branch of a repository cannot be looked up', async () => {
  const client = app.client(await createTokenFor(app))
  expect((await client.projects.createProject.mutate({ name: 'x', repository })).branch).toBe('main')
})

test.each([
  ['ext::sh -c touch% /tmp/pwned', 'repository:'],
  ['--upload-pack=touch /tmp/pwned', 'repository:'],
  ['git@example.com:a/b.git', 'https://example.com/a/b.git'],
  ['https://user:password@example.com/a/b', 'repository:'],
  ['', 'repository:'],
])('rejects the repository %j before anything is fetched', async (bad, words) => {
  const client = app.client(await createTokenFor(app))
  const failure = client.projects.createProject.mutate({ name: 'x', repository: bad })
  await expect(failure).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
  await expect(failure).rejects.toThrow(words)
})

test.each(['--upload-pack=x', 'a..b', '', '-b', 'a b', '\0'])('rejects the branch %j', async (branch) => {
  const client = app.client(await createTokenFor(app))
  await expect(client.projects.createProject.mutate({ name: 'x', repository, branch })).rejects.toThrow(/^branch:/)
})

test('a project of another user returns 404 in every procedure and route', async () => {
  const theirs = await createProjectFor(app)
  const token = await createTokenFor(app)
  const client = app.client(token)
  const calls = (projectId: string): [string, () => Promise<unknown>][] => [
    ['getProject', () => client.projects.getProject.query({ projectId })],
    ['getProjectSettings', () => client.projects.getProjectSettings.query({ projectId })],
    ['getProjectAnalyses', () => client.projects.getProjectAnalyses.query({ projectId })],
    ['getLatestProjectAnalysis', () => client.projects.getLatestProjectAnalysis.query({ projectId })],
    ['updateProject', () => client.projects.updateProject.mutate({ projectId, name: 'mine' })],
    ['deleteProject', () => client.projects.deleteProject.mutate({ projectId })],
    ['updateProjectSettings', () => client.projects.updateProjectSettings.mutate({ projectId, settings: {} })],
    ['startAnalysis', () => client.analysis.startAnalysis.mutate({ projectId })],
    ['analyzeRepository', () => client.analysis.analyzeRepository.mutate({ projectId })],
    ['suggestTests', () => client.analysis.suggestTests.mutate({ projectId })],
    ['GET /api/v1/projects/:id', () => app.fetch(`/api/v1/projects/${projectId}`, { token }).then((r) => r.text())],
    [
      'POST /api/v1/projects/:id/analyze',
      () => app.fetch(`/api/v1/projects/${projectId}/analyze`, { token, method: 'POST' }).then((r) => r.text()),
    ],
  ]
  const outcome = async (call: () => Promise<unknown>) => {
    const answer = await call().catch(
      (error: { message: string; data?: { code: string } }) => error.data?.code + error.message,
    )
    return String(answer)
  }
  const foreign = calls(theirs.id)
  const random = calls('01ARZ3NDEKTSV4RRFFQ69G5FAV')
  for (const [index, [name, call]] of foreign.entries()) {
    const answer = await outcome(call)
    expect(answer, name).toContain('NOT_FOUND')
    expect(answer, name).toBe(await outcome(random[index]?.[1] ?? call))
  }
  const own = app.client(await createTokenFor(app, { user: await ownerOf(theirs.userId) }))
  expect((await own.projects.getProject.query({ projectId: theirs.id })).name).toBe('A project')
})

async function ownerOf(id: string) {
  const [user] = await app.dataSource.query('SELECT id, email, name FROM users WHERE id = $1', [id])
  return user
}

test('userEmail is optional, and the email of another user is rejected before any lookup', async () => {
  const user = await createUser(app, { email: 'Me@Example.com' })
  const client = app.client(await createTokenFor(app, { user }))
  expect(await client.projects.getProjects.query({ userEmail: 'me@example.COM' })).toEqual([])
  for (const projectId of ['no-such-project', (await createProjectFor(app, { user })).id]) {
    await expect(client.projects.getProject.query({ projectId, userEmail: 'you@example.com' })).rejects.toMatchObject({
      data: { code: 'FORBIDDEN' },
    })
  }
})

test('settings merge, hide values, and keep concurrent changes', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const client = app.client(await createTokenFor(app, { user }))
  const before = await client.projects.getProjectSettings.query({ projectId })
  expect(before).toMatchObject({ testCommand: null, timeoutSeconds: 600, environment: [], testNetwork: false })

  await Promise.all([
    client.projects.updateProjectSettings.mutate({
      projectId,
      settings: { testCommand: 'npm test', environment: { API_KEY: 'hunter2', EMPTY: '' }, runOn: { release: true } },
    }),
    client.projects.updateProjectSettings.mutate({
      projectId,
      settings: { coverageThreshold: 80, testNetwork: true, environment: { B: 'x' } },
    }),
  ])
  const after = await client.projects.getProjectSettings.query({ projectId })
  expect(after).toMatchObject({
    testCommand: 'npm test',
    coverageThreshold: 80,
    testNetwork: true,
    environment: ['API_KEY', 'B', 'EMPTY'],
    runOn: { ...before.runOn, release: true },
  })
  const removed = await client.projects.updateProjectSettings.mutate({
    projectId,
    settings: { environment: { B: null } },
  })
  expect(removed.environment).toEqual(['API_KEY', 'EMPTY'])

  const [stored] = await app.dataSource.query('SELECT settings FROM projects WHERE id = $1', [projectId])
  expect(JSON.stringify(stored)).not.toContain('hunter2')
  const place = `projects/${projectId}/environment/API_KEY`
  expect(decrypt(app.config.secretKey, place, stored.settings.environment.API_KEY)).toBe('hunter2')
})

test('the values of variables have at most 256 KiB together, because each run looks for all of them', async () => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const client = app.client(await createTokenFor(app, { user }))
  const set = (environment: Record<string, string | null>) =>
    client.projects.updateProjectSettings.mutate({ projectId, settings: { environment } })
  const key = 'k'.repeat(32_768)
  await set({ A: key, B: key, C: key, D: key, E: key, F: key, G: key, H: key })
  await expect(set({ I: 'x' })).rejects.toThrow(
    'settings.environment: the values may have at most 262144 bytes together',
  )
  expect((await set({ H: null, I: 'x' })).environment).toContain('I')
})

test.each([
  [{ timeoutSeconds: 0 }, 'timeoutSeconds'],
  [{ environment: { 'NOT A NAME': 'x' } }, 'environment'],
  [{ environment: { NUL: 'x\0y' } }, 'environment.NUL'],
  [{ coverageThreshold: 101 }, 'coverageThreshold'],
  [{ reportGlobs: 'junit.xml' }, 'reportGlobs'],
  [{ testNetwork: 'on' }, 'testNetwork'],
  [{ unknown: true }, 'unknown'],
])('rejects the settings %j', async (settings, field) => {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const client = app.client(await createTokenFor(app, { user }))
  await expect(
    client.projects.updateProjectSettings.mutate({ projectId, settings: settings as object }),
  ).rejects.toThrow(field)
})

test('GET /api/v1/projects pages and filters', async () => {
  const user = await createUser(app)
  for (let index = 0; index < 5; index++) {
    await createProjectFor(app, { user, name: `Part ${index}`, language: index % 2 ? 'Go' : 'Rust' })
  }
  await createProjectFor(app, { user, name: '100%_done' })
  const token = await createTokenFor(app, { user })
  const page = async (query: string) => {
    const response = await app.fetch(`/api/v1/projects?${query}`, { token })
    return {
      status: response.status,
      ...((await response.json()) as { projects: { name: string }[]; pagination: object }),
    }
  }
  const second = await page('page=2&pageSize=4')
  expect(second.projects.map(({ name }) => name)).toEqual(['Part 1', 'Part 0'])
  expect(second.pagination).toEqual({ total: 6, page: 2, pageSize: 4 })
  expect((await page('language=Go')).pagination).toEqual({ total: 2, page: 1, pageSize: 50 })
  expect((await page('search=part%203')).projects).toHaveLength(1)
  expect((await page('search=%25_')).projects.map(({ name }) => name)).toEqual(['100%_done'])
  expect((await page('page=999999')).projects).toEqual([])
  for (const bad of ['page=0', 'pageSize=101', 'pageSize=ten', 'page=1.5', 'page=-1']) {
    expect((await page(bad)).status, bad).toBe(400)
  }
})

test('GET /api/v1/projects/:id returns the specified format', async () => {
  const user = await createUser(app)
  const project = await createProjectFor(app, { user, language: 'Go' })
  const response = await app.fetch(`/api/v1/projects/${project.id}`, { token: await createTokenFor(app, { user }) })
  const { id, name, repository: address, branch, language, framework } = project
  const url = `${app.config.baseUrl}/projects/${id}`
  expect(await response.json()).toEqual({
    project: { id, url, name, repository: address, branch, language, framework, testRuns: [] },
  })
})

test('rejects text that Postgres cannot store and names the field, also in settings', async () => {
  const user = await createUser(app)
  const client = app.client(await createTokenFor(app, { user }))
  const { id: projectId } = await createProjectFor(app, { user })
  for (const settings of [{ testCommand: '\ud800' }, { reportGlobs: ['a\0b'] }, { workingDirectory: '\udfff' }]) {
    await expect(client.projects.updateProjectSettings.mutate({ projectId, settings })).rejects.toMatchObject({
      data: { httpStatus: 400 },
    })
  }
})

test('only admins can change the repository of a project with secrets, because its code would get them', async () => {
  const { id: organizationId } = await createOrganizationFor(app)
  const { id: projectId } = await createProjectFor(app, { organizationId, repository })
  const as = async (role: 'member' | 'admin') => {
    const user = await createUser(app)
    await createMembershipFor(app, { organizationId, user, role })
    return app.client(await createTokenFor(app, { user }))
  }
  const [member, admin] = [await as('member'), await as('admin')]
  const move = (to: string, by = member) => by.projects.updateProject.mutate({ projectId, repository: to })
  const elsewhere = 'https://127.0.0.1:9/mine'
  expect(await move(elsewhere)).toMatchObject({ repository: elsewhere })

  const secret = (value: string | null) => ({ projectId, settings: { environment: { API_KEY: value } } })
  await admin.projects.updateProjectSettings.mutate(secret('hunter2'))
  await expect(move(repository)).rejects.toMatchObject({
    data: { code: 'FORBIDDEN' },
    message: expect.stringContaining('secret environment variables'),
  })
  // Members may send the same repository and change everything else.
  const renamed = { projectId, repository: elsewhere, name: 'Renamed', branch: 'next' }
  expect(await member.projects.updateProject.mutate(renamed)).toMatchObject({ name: 'Renamed', branch: 'next' })
  expect(await move(repository, admin)).toMatchObject({ repository })

  await admin.projects.updateProjectSettings.mutate(secret(null))
  expect(await move(elsewhere)).toMatchObject({ repository: elsewhere })
})
