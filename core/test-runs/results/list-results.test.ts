import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../../testing/factories.ts'
import type { ReadCase } from '../../../engines/reports/read-case.ts'
import type { Attempt } from '../../../engines/reports/report.ts'
import { testIdentities } from '../../../engines/reports/identity.ts'
import { formatRanges } from '../../../engines/coverage/ranges.ts'
import { storeCoverage } from '../../coverage/store.ts'
import { storeFileStrength } from '../../coverage/strength.ts'
import { storeResults } from './store-results.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const signal = new AbortController().signal
const retry: Attempt = { status: 'failed', durationMs: 1.5, message: 'once' }
const testCase = (name: string, fields: Partial<ReadCase> = {}): ReadCase => ({
  suite: 'cart',
  name,
  file: 'src/cart.test.ts',
  line: 3,
  status: 'passed',
  durationMs: 2.5,
  message: null,
  stack: null,
  attempts: [],
  ...fields,
})

async function setUp(cases: ReadCase[]) {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const { id: runId } = await createRunFor(app, { projectId, status: 'COMPLETED' })
  await app.dataSource.transaction(async (db) => {
    const run = { id: runId, position: 0, variant: '', identify: testIdentities().keyOf }
    await storeResults(
      { db, signal },
      run,
      (async function* () {
        yield cases
      })(),
    )
  })
  const { testRuns } = app.client(token)
  const names = async (input: object = {}) =>
    (await testRuns.results.query({ runId, ...input })).results.map(({ name }) => name)
  return { runId, projectId, testRuns, names }
}

test('lists results in pages, failed tests first, then in the order of the reports', async () => {
  const { names, testRuns, runId } = await setUp([
    testCase('a'),
    testCase('b', { status: 'failed', message: 'boom', stack: 'at b' }),
    testCase('c', { status: 'skipped' }),
    testCase('d', { status: 'failed' }),
    testCase('e', { attempts: [retry] }),
  ])
  expect(await names()).toEqual(['b', 'd', 'a', 'c', 'e'])
  const pages = [await names({ limit: 2 }), await names({ limit: 2, offset: 2 }), await names({ limit: 2, offset: 4 })]
  expect(pages).toEqual([['b', 'd'], ['a', 'c'], ['e']])
  const { results, pagination } = await testRuns.results.query({ runId, limit: 1 })
  expect(pagination).toEqual({ total: 5, limit: 1, offset: 0 })
  expect(results).toEqual([
    {
      testId: expect.stringMatching(/^[\da-f-]{36}$/),
      suite: 'cart',
      name: 'b',
      file: 'src/cart.test.ts',
      line: 3,
      status: 'failed',
      durationMs: 2.5,
      message: 'boom',
      stack: 'at b',
      attempts: [],
      flaky: false,
      muted: false,
      variant: '',
      fingerprint: null,
    },
  ])
  const testId = results[0]?.testId
  expect(await names({ testId })).toEqual(['b'])
  expect(await names({ testId, status: 'passed' })).toEqual([])
  expect((await testRuns.results.query({ runId, flaky: true })).results).toMatchObject([
    { name: 'e', attempts: [retry] },
  ])
})

test('sorts results by duration or by name, with the same pages for equal values', async () => {
  const { names } = await setUp([
    testCase('b', { durationMs: 10 }),
    testCase('unknown', { durationMs: null, suite: 'a suite' }),
    testCase('slow', { durationMs: 900 }),
    testCase('a', { durationMs: 10, status: 'failed' }),
  ])
  expect(await names({ sort: 'duration' })).toEqual(['slow', 'b', 'a', 'unknown'])
  expect(await names({ sort: 'name' })).toEqual(['unknown', 'a', 'b', 'slow'])
  expect(await names({ sort: 'status' })).toEqual(['a', 'b', 'unknown', 'slow'])
  expect(await names({ sort: 'duration', limit: 2, offset: 1 })).toEqual(['b', 'a'])
  expect(await names({ sort: 'name', status: 'passed', search: 'cart > ' })).toEqual(['b', 'slow'])
  await expect(names({ sort: 'position' })).rejects.toThrow('sort: must be one of status, duration, name')
})

test('filters results by status and by any part of their names', async () => {
  const { names } = await setUp([
    testCase('Adds 100%', { status: 'skipped' }),
    testCase('adds_up', { suite: 'checkout' }),
    testCase('addsXup', { file: 'src/Basket.test.ts' }),
    testCase('back\\slash', { file: null, status: 'failed' }),
  ])
  expect(await names({ status: 'skipped' })).toEqual(['Adds 100%'])
  expect(await names({ status: 'passed', flaky: false })).toEqual(['adds_up', 'addsXup'])
  expect(await names({ search: 'ADDS' })).toHaveLength(3)
  expect(await names({ search: '%' })).toEqual(['Adds 100%'])
  expect(await names({ search: 's_u' })).toEqual(['adds_up'])
  expect(await names({ search: 'k\\s' })).toEqual(['back\\slash'])
  expect(await names({ search: 'check' })).toEqual(['adds_up'])
  // As the digest of failures writes it.
  expect(await names({ search: 'checkout > adds' })).toEqual(['adds_up'])
  expect(await names({ search: 'basket' })).toEqual(['addsXup'])
  expect(await names({ search: '', flaky: true })).toEqual([])
  await expect(names({ search: 'a\0' })).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
  await expect(names({ status: 'broken' })).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
  await expect(names({ limit: 0 })).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
})

const lines = (covered: number, total: number) => ({
  covered: covered === 0 ? '' : formatRanges([[1, covered]]),
  uncovered: covered === total ? '' : formatRanges([[covered + 1, total]]),
  reachedBranches: '',
  partialBranches: null,
  completeBranches: null,
  uncalled: '',
  lines: { covered, total },
  branches: null,
  functions: { covered: 1, total: 2 },
})

test('lists covered files in pages, those with the most uncovered lines first', async () => {
  const { runId, testRuns } = await setUp([])
  await app.dataSource.transaction((db) =>
    storeCoverage({ db, signal }, runId, [
      { path: 'full.ts', ...lines(9, 9) },
      { path: 'b.ts', ...lines(1, 4) },
      { path: 'a.ts', ...lines(2, 5) },
      { path: 'most.ts', ...lines(0, 40) },
    ]),
  )
  const { files, pagination } = await testRuns.coverage.query({ runId, limit: 3 })
  expect(pagination).toEqual({ total: 4, limit: 3, offset: 0 })
  expect(files.map(({ path, uncoveredLines }) => [path, uncoveredLines])).toEqual([
    ['most.ts', '1-40'],
    ['a.ts', '3-5'],
    ['b.ts', '2-4'],
  ])
  expect(files[0]).toMatchObject({
    lines: { covered: 0, total: 40 },
    branches: null,
    functions: { covered: 1, total: 2 },
  })
  expect((await testRuns.coverage.query({ runId, offset: 3 })).files).toMatchObject([{ path: 'full.ts' }])
})

test('sums coverage and strength by folder, one level at a time', async () => {
  const { runId, projectId, testRuns } = await setUp([])
  const reached = (path: string, covered: number, total: number) => ({ path, ...lines(covered, total) })
  const measured = { contentId: 'a', commitSha: 'b'.repeat(40), reached: 4, survivors: [], noticed: [], reachedBy: [] }
  await app.dataSource.transaction(async (db) => {
    await storeCoverage({ db, signal }, runId, [
      reached('main.ts', 1, 1),
      { ...reached('src/pay/card.ts', 3, 4), branches: { covered: 1, total: 2 } },
      reached('src/pay/_cash.ts', 1, 4),
      reached('src/pay.ts', 2, 2),
      reached('src-other/pay.ts', 0, 9),
    ])
    const now = () => new Date()
    await storeFileStrength(
      { db, now },
      {
        projectId,
        snapshotId: null,
        files: [
          { path: 'src/pay/card.ts', ...measured, lines: [[1, 3, 1]] },
          { path: 'src/pay.ts', ...measured, lines: [[2, 1, 1]] },
        ],
      },
    )
  })
  const whole = await testRuns.coverageByFolder.query({ runId })
  expect(whole).toMatchObject({
    folder: { path: '', files: 5, lines: { covered: 7, total: 20 }, strength: { tried: 4, noticed: 2, percent: 50 } },
    pagination: { total: 3, limit: 20, offset: 0 },
  })
  expect(whole.entries.map(({ path, kind, files }) => [path, kind, files])).toEqual([
    ['src', 'folder', 3],
    ['src-other', 'folder', 1],
    ['main.ts', 'file', 1],
  ])
  const inside = await testRuns.coverageByFolder.query({ runId, folder: './src/' })
  expect(inside.folder).toMatchObject({ path: 'src', files: 3, lines: { covered: 6, total: 10 } })
  expect(inside.entries).toMatchObject([
    {
      path: 'src/pay',
      kind: 'folder',
      lines: { covered: 4, total: 8 },
      branches: { covered: 1, total: 2 },
      functions: { covered: 2, total: 4 },
      strength: { tried: 3, noticed: 2, percent: 66.7 },
    },
    { path: 'src/pay.ts', kind: 'file', branches: null, strength: { tried: 1, noticed: 0, percent: 0 } },
  ])
  const second = await testRuns.coverageByFolder.query({ runId, folder: 'src', limit: 1, offset: 1 })
  expect(second).toMatchObject({ folder: { files: 3 }, entries: [{ path: 'src/pay.ts' }], pagination: { total: 2 } })
  const beyond = await testRuns.coverageByFolder.query({ runId, folder: 'src', offset: 9 })
  expect(beyond).toMatchObject({ entries: [], pagination: { total: 2 } })
  for (const folder of ['sr', 'src/pay.ts', '../src', 'src/%']) {
    await expect(testRuns.coverageByFolder.query({ runId, folder })).rejects.toMatchObject({
      data: { code: 'NOT_FOUND' },
    })
  }
  await expect(testRuns.coverageByFolder.query({ runId, folder: 'a\0' })).rejects.toMatchObject({
    data: { code: 'BAD_REQUEST' },
  })
})

test('a run without coverage has an empty folder', async () => {
  const { runId, testRuns } = await setUp([])
  expect(await testRuns.coverageByFolder.query({ runId })).toMatchObject({
    folder: { files: 0, lines: { covered: 0, total: 0 }, branches: null, strength: null },
    entries: [],
    pagination: { total: 0 },
  })
})

test('hides results and coverage of other users', async () => {
  const { runId } = await setUp([testCase('a')])
  const { testRuns } = app.client(await createTokenFor(app))
  for (const query of [testRuns.results, testRuns.coverage, testRuns.coverageByFolder]) {
    await expect(query.query({ runId })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  }
})
