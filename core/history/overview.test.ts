import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSuggestionFor } from '../suggestions/testing.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createRunFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import type { TestRunRow } from '../test-runs/entity.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const passed = { status: 'COMPLETED', totalTests: 3, passedTests: 3 } as const
const failed = { status: 'COMPLETED', totalTests: 3, passedTests: 1, failedTests: 1, mutedTests: 1 } as const
const broken = { status: 'FAILED', error: { code: 'no_tests', message: 'No test ran.' } } as const

async function setUp() {
  const user = await createUser(app)
  const { projects } = app.client(await createTokenFor(app, { user }))
  /** Creates a project with these runs on its branch, oldest first. */
  const project = async (name: string, runs: Partial<TestRunRow>[] = []) => {
    const { id } = await createProjectFor(app, { user, name })
    const rows: TestRunRow[] = []
    for (const run of runs) rows.push(await createRunFor(app, { projectId: id, ...run }))
    return { id, runs: rows }
  }
  const names = async (input: object) => (await projects.overview.query(input)).projects.map(({ name }) => name)
  const only = async () => {
    const { projects: found } = await projects.overview.query()
    if (found.length !== 1 || !found[0]) throw new Error('There must be exactly one project.')
    return found[0]
  }
  return { user, projects, project, names, only }
}

test('shows how a project is: health, latest runs, since when it fails, coverage, flaky tests, open work', async () => {
  const { project, only } = await setUp()
  const { id, runs } = await project('Shop', [
    { ...passed, coverage: 81.2 },
    { ...broken, commitSha: 'b'.repeat(40) },
    { ...failed, coverage: 80.1, flakyTests: 2 },
    { status: 'CANCELLED' },
  ])
  await createRunFor(app, { projectId: id, status: 'RUNNING' })
  await createRunFor(app, { projectId: id, branch: 'other', status: 'PENDING' })
  await createSuggestionFor(app, { projectId: id })
  await createSuggestionFor(app, { projectId: id, fingerprint: 'dismissed', status: 'dismissed' })
  expect(await only()).toMatchObject({
    id,
    name: 'Shop',
    health: 'failing',
    failingSince: {
      runId: runs[1]?.id,
      commitSha: 'b'.repeat(40),
      createdAt: runs[1]?.createdAt.toISOString(),
      runs: 2,
    },
    coverage: { percent: 80.1, change: -1.1 },
    flakyTests: 2,
    activeRuns: 2,
    queuedRuns: 1,
    openSuggestions: 1,
  })
  expect((await only()).strip.map(({ reportedStatus }) => reportedStatus)).toEqual([
    'RUNNING',
    'CANCELLED',
    'FAILED',
    'ERROR',
    'PASSED',
  ])
  expect((await only()).strip[2]).toEqual({
    runId: runs[2]?.id,
    reportedStatus: 'FAILED',
    createdAt: runs[2]?.createdAt.toISOString(),
    commitSha: null,
    totalTests: 3,
    failedTests: 1,
    mutedTests: 1,
  })
})

test('a project without a run that ended is unknown, or running while the first one does', async () => {
  const { project, only } = await setUp()
  const { id } = await project('New')
  const nothing = { health: 'unknown', strip: [], failingSince: null, coverage: null, flakyTests: 0, activeRuns: 0 }
  expect(await only()).toMatchObject({ ...nothing, openSuggestions: 0 })
  await createRunFor(app, { projectId: id, status: 'PENDING' })
  expect(await only()).toMatchObject({ health: 'running', activeRuns: 1, queuedRuns: 1 })
})

test('only runs of all tests of the branch itself count', async () => {
  const { project, only } = await setUp()
  const { id } = await project('Shop', [failed])
  for (const run of [
    { branch: 'other' },
    { snapshotId: 'a-snapshot' },
    { selection: { paths: ['a.test.js'], tests: [] } },
    { withSecrets: false },
  ]) {
    await createRunFor(app, { projectId: id, ...passed, flakyTests: 1, coverage: 50, ...run })
  }
  expect(await only()).toMatchObject({ health: 'failing', coverage: null, flakyTests: 0, failingSince: { runs: 1 } })
  expect((await only()).strip).toHaveLength(1)
})

test('an upload of coverage alone changes the coverage, and neither the health nor the strip', async () => {
  const { project, only } = await setUp()
  await project('Shop', [failed, { status: 'COMPLETED', source: 'upload', coverage: 70 }])
  const shown = await only()
  expect(shown).toMatchObject({ health: 'failing', coverage: { percent: 70, change: null } })
  expect(shown.strip).toHaveLength(1)
})

test('the strip has 20 runs, and a run of a snapshot counts as active', async () => {
  const { project, only } = await setUp()
  const { id } = await project(
    'Shop',
    Array.from({ length: 22 }, () => passed),
  )
  await createRunFor(app, { projectId: id, status: 'RUNNING', snapshotId: 'a-snapshot' })
  const shown = await only()
  expect(shown).toMatchObject({ health: 'passing', failingSince: null, activeRuns: 1, queuedRuns: 0 })
  expect(shown.strip).toHaveLength(20)
})

test('sorts by what needs attention: longest failing first, then falling coverage, then by latest run', async () => {
  const { project, names } = await setUp()
  await project('empty')
  await project('calm', [passed])
  await project('falling a little', [
    { ...passed, coverage: 80 },
    { ...passed, coverage: 79 },
  ])
  await project('falling', [
    { ...passed, coverage: 80 },
    { ...passed, coverage: 60 },
  ])
  const hour = 3_600_000
  await project('error today', [{ ...broken, createdAt: new Date(Date.now() - hour) }])
  await project('red for long', [{ ...failed, createdAt: new Date(Date.now() - 99 * hour) }])
  await project('Busy', [passed])
  const byAttention = ['red for long', 'error today', 'falling', 'falling a little', 'Busy', 'calm', 'empty']
  expect(await names({})).toEqual(byAttention)
  expect(await names({ limit: 2, offset: 1 })).toEqual(byAttention.slice(1, 3))
  expect(await names({ sort: 'latest' })).toEqual([
    'Busy',
    'falling',
    'falling a little',
    'calm',
    'error today',
    'red for long',
    'empty',
  ])
  expect(await names({ sort: 'name' })).toEqual(
    byAttention.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  )
})

test('searches names, whatever characters they consist of, and counts all matches', async () => {
  const { project, projects, names } = await setUp()
  for (const name of ['100%', 'Online Shop', "shop'); DROP TABLE users; --"]) await project(name)
  expect((await names({ search: 'SHOP', sort: 'name' })).length).toBe(2)
  expect(await names({ search: '%' })).toEqual(['100%'])
  expect(await names({ search: "'); DROP" })).toHaveLength(1)
  const page = await projects.overview.query({ search: 'shop', limit: 1 })
  expect([page.projects.length, page.pagination]).toEqual([1, { total: 2, limit: 1, offset: 0 }])
})

test("shows an organization's projects to its members, and nobody else's to anyone", async () => {
  const { user, project, names } = await setUp()
  await project('mine')
  const { id: organizationId } = await createOrganizationFor(app)
  await createProjectFor(app, { name: 'ours', organizationId })
  const { id: projectId } = await createProjectFor(app, { name: 'theirs' })
  expect(await names({ organizationId })).toEqual([])
  expect(await names({})).toEqual(['mine'])
  await createMembershipFor(app, { organizationId, user, role: 'viewer' })
  expect(await names({ organizationId })).toEqual(['ours'])
  expect(await names({ sort: 'name' })).toEqual(['mine', 'ours'])
  const narrow = app.client(await createTokenFor(app, { user, projectId }))
  expect((await narrow.projects.overview.query()).projects).toEqual([])
})

test('refuses a token without the scope, and wrong input', async () => {
  const { user, projects } = await setUp()
  const reader = app.client(await createTokenFor(app, { user, scopes: ['projects:read'] }))
  await expect(reader.projects.overview.query()).rejects.toThrow('tests:read')
  for (const [field, input] of Object.entries({
    limit: { limit: 101 },
    offset: { offset: -1 },
    sort: { sort: 'random' as never },
    search: { search: 'x'.repeat(201) },
  })) {
    await expect(projects.overview.query(input)).rejects.toThrow(field)
  }
})
