import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../../testing/factories.ts'
import type { UploadedRun } from '../uploads/schema.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

type Outcome = 'passed' | 'failed' | 'skipped' | 'retried'

const inner: Record<Outcome, string> = {
  passed: '',
  failed: '<failure message="expected 3 to be 2"/>',
  skipped: '<skipped/>',
  retried: '<flakyFailure message="once"/>',
}

async function setUp() {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  /** A run with these tests of the suite `cart`. */
  const ran = async (commit: string, tests: Record<string, Outcome>, branch = 'main', ranAt?: string) => {
    const form = new FormData()
    form.set('branch', branch)
    form.set('commitSha', commit.repeat(40))
    if (ranAt !== undefined) form.set('ranAt', ranAt)
    const cases = Object.entries(tests).map(
      ([name, outcome]) =>
        `<testcase classname="cart" name="${name}" file="src/cart.test.ts" time="0.1">${inner[outcome]}</testcase>`,
    )
    // Equal reports would be one upload.
    const xml = `<testsuites><!-- ${Math.random()} --><testsuite name="cart">${cases.join('')}</testsuite></testsuites>`
    form.append('reports', new Blob([xml]), 'junit.xml')
    const response = await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body: form, token })
    expect(response.status).toBe(201)
    return ((await response.json()) as UploadedRun).runId
  }
  const { testRuns } = app.client(token)
  const historyOf = async (search: string, more: { branch?: string; limit?: number; offset?: number } = {}) => {
    const history = await testRuns.history.query({ projectId, search, ...more })
    if (history.kind !== 'history') throw new Error(`${history.tests.length} tests were found`)
    return history
  }
  return { projectId, token, ran, testRuns, historyOf }
}

test('orders results by when the tests ran, however late they were uploaded', async () => {
  const { ran, historyOf } = await setUp()
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const [early, middle, late] = [hoursAgo(9), hoursAgo(8), hoursAgo(7)]
  await ran('c', { totals: 'failed' }, 'main', late)
  await ran('a', { totals: 'passed' }, 'main', early)
  await ran('b', { totals: 'failed' }, 'main', middle)
  const { results, since } = await historyOf('totals')
  expect(results.map(({ ranAt }) => ranAt)).toEqual([late, middle, early])
  expect(since).toMatchObject({ commitSha: 'b'.repeat(40), ranAt: middle, runs: 2 })
})

test('names the outage that a failure was part of', async () => {
  const { ran, historyOf, projectId } = await setUp()
  const runId = await ran('a', { totals: 'failed' })
  await ran('b', { totals: 'failed' })
  await app.dataSource.query(`UPDATE test_runs SET outage = 'mass' WHERE project_id = $1 AND id = $2`, [
    projectId,
    runId,
  ])
  const { results } = await historyOf('totals')
  expect(results.map(({ outage }) => outage)).toEqual([null, 'mass'])
})

test('lists the results of a test newest first, and says since when it fails', async () => {
  const { ran, historyOf } = await setUp()
  const first = await ran('a', { totals: 'passed', other: 'passed' })
  const second = await ran('b', { totals: 'retried', other: 'passed' })
  const third = await ran('c', { totals: 'failed', other: 'passed' })
  const fourth = await ran('d', { totals: 'skipped', other: 'passed' })
  await ran('e', { other: 'passed' })
  const sixth = await ran('f', { totals: 'failed', other: 'passed' })

  const history = await historyOf('totals')
  expect(history).toMatchObject({
    test: { testId: expect.any(String), suite: 'cart', name: 'totals', file: 'src/cart.test.ts' },
    totals: { runs: 5, passed: 2, failed: 2, skipped: 1, flaky: 1 },
    since: { runId: third, branch: 'main', commitSha: 'c'.repeat(40), runs: 2 },
    pagination: { total: 5, limit: 20, offset: 0 },
  })
  expect(history.results.map(({ runId, status, flaky }) => [runId, status, flaky])).toEqual([
    [sixth, 'failed', false],
    [fourth, 'skipped', false],
    [third, 'failed', false],
    [second, 'passed', true],
    [first, 'passed', false],
  ])
  expect(history.results[0]).toMatchObject({ message: 'expected 3 to be 2', durationMs: 100, branch: 'main' })
  const [latest, skipped, before, retried, passed] = history.results.map(({ fingerprint }) => fingerprint)
  expect(latest).toBe(before)
  expect([retried === null, retried === latest]).toEqual([false, false])
  expect([skipped, passed]).toEqual([null, null])
  expect((await historyOf('other')).since).toBeNull()
})

test('finds a test by its id, in pages, on one branch', async () => {
  const { ran, historyOf, testRuns, projectId } = await setUp()
  await ran('a', { totals: 'passed' })
  await ran('b', { totals: 'failed' }, 'feature')
  await ran('c', { totals: 'passed' })
  const { test } = await historyOf('totals')
  const page = await testRuns.history.query({ projectId, testId: test.testId, limit: 1, offset: 1 })
  expect(page).toMatchObject({ results: [{ branch: 'feature' }], totals: { runs: 3 }, pagination: { total: 3 } })
  const onBranch = await testRuns.history.query({ projectId, testId: test.testId, branch: 'feature' })
  expect(onBranch).toMatchObject({ totals: { runs: 1, failed: 1 }, since: { branch: 'feature', runs: 1 } })
})

test('lists the tests of an ambiguous search, failed tests first', async () => {
  const { ran, testRuns, projectId, historyOf } = await setUp()
  await ran('a', { adds: 'failed', 'adds twice': 'passed', removes: 'passed' })
  await ran('b', { adds: 'passed', 'adds twice': 'failed', removes: 'passed' })
  const search = async (text: string) => {
    const found = await testRuns.history.query({ projectId, search: text })
    return found.kind === 'tests' ? found.tests.map(({ name, status }) => [name, status]) : found.test.name
  }
  expect(await search('CART.test')).toEqual([
    ['adds twice', 'failed'],
    ['adds', 'passed'],
    ['removes', 'passed'],
  ])
  expect(await search('add_')).toEqual([])
  expect(await search('twice')).toBe('adds twice')
  // A whole name means that test, though it is part of another's.
  expect(await search('cart > adds')).toBe('adds')
  expect((await historyOf('cart > adds')).totals.runs).toBe(2)
  const page = await testRuns.history.query({ projectId, search: 'cart', limit: 1, offset: 1 })
  expect(page).toMatchObject({
    kind: 'tests',
    tests: [{ name: 'adds' }],
    pagination: { total: 3, limit: 1, offset: 1 },
  })
})

test('separates tests with the same name in different projects', async () => {
  const [mine, theirs] = [await setUp(), await setUp()]
  await mine.ran('a', { totals: 'passed' })
  await theirs.ran('b', { totals: 'failed', secret: 'failed' })
  expect(await mine.historyOf('totals')).toMatchObject({ totals: { runs: 1, failed: 0 }, since: null })
  const { test } = await theirs.historyOf('secret')
  const { projectId, testRuns } = mine
  const unknown = { data: { code: 'NOT_FOUND' } }
  await expect(testRuns.history.query({ projectId, testId: test.testId })).rejects.toMatchObject(unknown)
  await expect(testRuns.history.query({ projectId: theirs.projectId, search: 'totals' })).rejects.toMatchObject(unknown)
})

test.each([
  {},
  { testId: '6b1b36cb-b04b-3810-8b18-1e0a0b0a0b0a', search: 'a' },
  { testId: 'x' },
  { search: '' },
  { search: 'a\0' },
])('rejects %j, which does not identify a test', async (which) => {
  const { testRuns, projectId } = await setUp()
  await expect(testRuns.history.query({ projectId, ...which })).rejects.toMatchObject({
    data: { code: 'BAD_REQUEST' },
  })
})
