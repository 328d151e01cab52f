import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../base/ids.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createRunFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { createSuggestionFor } from '../suggestions/testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

interface TestName {
  id?: string
  suite?: string
  name: string
  file?: string
}

async function createTests(projectId: string, tests: readonly TestName[], fields = {}) {
  const run = await createRunFor(app, { projectId, status: 'COMPLETED', totalTests: tests.length, ...fields })
  for (const [position, { id = randomUUID(), suite = '', name, file = null }] of tests.entries()) {
    await app.dataSource.query(
      `INSERT INTO test_results (run_id, position, test_id, suite, name, file, status, flaky)
       VALUES ($1, $2, $3, $4, $5, $6, 'passed', false)`,
      [run.id, position, id, suite, name, file],
    )
  }
  return run
}

async function createAnalysis(projectId: string, commitSha: string, paths: readonly string[]) {
  const files = paths.map((path) => ({ path, size: 1, extension: '', language: 'TypeScript' }))
  await app.dataSource.query(
    `INSERT INTO analyses (id, project_id, status, branch, commit_sha, files_analyzed, result, created_at)
     VALUES ($1, $2, 'completed', 'main', $3, $4, $5, now())`,
    [newId(new Date()), projectId, commitSha, paths.length, JSON.stringify({ files })],
  )
}

async function createScene() {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user, name: 'Checkout service' })
  const client = app.client(await createTokenFor(app, { user }))
  const find = async (query: string, more: object = {}) => (await client.search.find.query({ query, ...more })).results
  const titles = async (query: string, more: object = {}) =>
    (await find(query, more)).map(({ kind, title }) => `${kind} ${title}`)
  return { user, projectId, client, find, titles }
}

test('finds the runs of a pull request by its number', async () => {
  const { projectId, titles } = await createScene()
  await createRunFor(app, { projectId, branch: 'feature/cart', pullRequest: 412 })
  expect(await titles('#412')).toEqual(['run feature/cart'])
  expect(await titles('412')).toEqual(['run feature/cart'])
  expect(await titles('#41')).toEqual(['run feature/cart'])
  expect(await titles('#413')).toEqual([])
})

test('finds projects, tests, files, runs, commits and suggestions of the caller', async () => {
  const { projectId, find } = await createScene()
  const testId = randomUUID()
  const commitSha = `beef${'0'.repeat(36)}`
  const tests = [{ id: testId, suite: 'cart', name: 'adds a checkout item', file: 'cart.test.ts' }]
  const run = await createTests(projectId, tests, { branch: 'checkout-2', commitSha })
  await createAnalysis(projectId, commitSha, ['src/checkout.ts', 'src/cart.ts'])
  const suggestion = await createSuggestionFor(app, {
    projectId,
    description: 'Test the checkout',
    filePath: 'src/a.ts',
  })
  const ofProject = { projectId, projectName: 'Checkout service' }
  const at = expect.any(String)
  expect(await find('checkout')).toEqual([
    {
      kind: 'project',
      title: 'Checkout service',
      detail: expect.stringContaining('https://'),
      id: projectId,
      at,
      ...ofProject,
    },
    { kind: 'test', title: 'adds a checkout item', detail: 'cart in cart.test.ts', id: testId, at, ...ofProject },
    { kind: 'file', title: 'checkout.ts', detail: 'src/checkout.ts', id: 'src/checkout.ts', at: null, ...ofProject },
    { kind: 'run', title: 'checkout-2', detail: 'passed on checkout-2 beef00000000', id: run.id, at, ...ofProject },
    { kind: 'suggestion', title: 'Test the checkout', detail: 'src/a.ts', id: suggestion.id, at, ...ofProject },
  ])
  expect(await find('BEEF')).toEqual([
    { kind: 'commit', title: 'beef00000000', detail: expect.stringContaining('on '), id: commitSha, at, ...ofProject },
  ])
  for (const [id, kind] of [
    [testId, 'test'],
    [run.id, 'run'],
    [suggestion.id, 'suggestion'],
    [projectId, 'project'],
    [commitSha, 'commit'],
  ] as const) {
    expect(await find(id.toLowerCase())).toEqual([expect.objectContaining({ kind, id })])
  }
  expect(await find('bee')).toEqual([])
})

test('puts whole names first, then beginnings, then parts, and lets kinds take turns', async () => {
  const { projectId, titles } = await createScene()
  const many = Array.from({ length: 30 }, (_, index) => ({ name: `adds ${index}` }))
  await createTests(projectId, [...many, { name: 'it adds' }, { name: 'Adds' }])
  await createAnalysis(projectId, 'a'.repeat(40), ['lib/readds.ts', 'lib/adds.ts'])
  const found = await titles('adds', { limit: 5 })
  expect(found).toEqual(['test Adds', 'test adds 0', 'file adds.ts', 'test adds 1', 'file readds.ts'])
  expect(await titles('adds', { kinds: ['file'] })).toEqual(['file adds.ts', 'file readds.ts'])
})

test('hostile text is only text', async () => {
  const { projectId, titles, client } = await createScene()
  await createTests(projectId, [
    { name: '100%_\\ of it' },
    { name: "it's; DROP TABLE users" },
    { name: '\u202eevil (.*)+$' },
  ])
  for (const query of ['%', '_', '\\', '%_\\']) expect(await titles(query)).toEqual(['test 100%_\\ of it'])
  expect(await titles("'s; drop table")).toEqual(["test it's; DROP TABLE users"])
  expect(await titles('(.*)+$')).toEqual(['test \u202eevil (.*)+$'])
  expect(await titles('.*.*.*.*x')).toEqual([])
  for (const query of ['', '  ', 'a'.repeat(201), 'a\0']) {
    await expect(client.search.find.query({ query })).rejects.toThrow(/query: |NUL/)
  }
})

test('looks at the latest complete run of a commit', async () => {
  const { projectId, titles } = await createScene()
  await createTests(projectId, [{ name: 'gone' }])
  await createTests(projectId, [{ name: 'here' }])
  await createTests(projectId, [{ name: 'gone' }], { snapshotId: newId(new Date()) })
  await createTests(projectId, [{ name: 'gone' }], { selection: { paths: ['a'], tests: [] } })
  expect(await titles('gone', { kinds: ['test'] })).toEqual([])
  expect(await titles('here', { kinds: ['test'] })).toEqual(['test here'])
})

test('says when it did not look at everything', async () => {
  const { user, projectId, client } = await createScene()
  await createTests(projectId, [{ name: 'first' }], { totalTests: 30_000 })
  expect((await client.search.find.query({ query: 'first' })).isComplete).toBe(false)
  expect((await client.search.find.query({ query: 'first', projectId })).isComplete).toBe(true)
  const { id: other } = await createProjectFor(app, { user })
  await createTests(other, [{ name: 'first of the other' }])
  const { results } = await client.search.find.query({ query: 'first' })
  expect(results.map(({ title }) => title)).toEqual(['first', 'first of the other'])
})

test('shows only what the caller may see', async () => {
  const { user, projectId, client } = await createScene()
  await createTests(projectId, [{ name: 'secret test' }], { branch: 'secret', commitSha: `dead${'0'.repeat(36)}` })
  await createAnalysis(projectId, `feed${'0'.repeat(36)}`, ['secret.ts'])
  const kindsFor = async (caller: typeof client, query: string, more = {}) =>
    (await caller.search.find.query({ query, ...more })).results.map(({ kind }) => kind)

  const stranger = app.client(await createTokenFor(app))
  for (const query of ['secret', 'dead', 'feed', projectId]) expect(await kindsFor(stranger, query)).toEqual([])
  await expect(stranger.search.find.query({ query: 'secret', projectId })).rejects.toThrow('No such project.')

  const lacking = app.client(await createTokenFor(app, { user, scopes: ['projects:read'] }))
  expect(await kindsFor(lacking, 'secret')).toEqual(['file'])
  expect([await kindsFor(lacking, 'dead'), await kindsFor(lacking, 'feed')]).toEqual([[], ['commit']])
  const without = app.client(await createTokenFor(app, { user, scopes: ['tests:read'] }))
  await expect(without.search.find.query({ query: 'secret' })).rejects.toThrow('projects:read')

  const { id: organizationId } = await createOrganizationFor(app, { user })
  const { id: shared } = await createProjectFor(app, { organizationId, name: 'Shared secret' })
  const { userId } = await createMembershipFor(app, { organizationId, role: 'viewer' })
  const [member] = await app.dataSource.query<[typeof user]>('SELECT * FROM users WHERE id = $1', [userId])
  const viewer = app.client(await createTokenFor(app, { user: member }))
  expect(await kindsFor(viewer, 'secret')).toEqual(['project'])
  expect(await kindsFor(client, 'secret', { organizationId })).toEqual(['project'])
  expect(await kindsFor(client, 'secret', { projectId: shared, organizationId })).toEqual(['project'])
  const confined = app.client(await createTokenFor(app, { user, projectId: shared }))
  expect(await kindsFor(confined, 'secret')).toEqual(['project'])
})
