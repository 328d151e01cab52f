import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTokenFor } from '../../../core/testing/factories.ts'
import { createHealthScene, failing } from '../../../core/tests/testing.ts'
import { defaultBudgetTokens, estimateTokens } from '../../answers/output.ts'
import { connectV2, leaves, type TestClient } from '../../testing/clients.ts'
import { type Stack, startStack } from '../../testing/stack.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let stack: Stack
let client: TestClient
let scene: Awaited<ReturnType<typeof createHealthScene>>
let projectId: string
const ids: Record<string, string> = {}

/** `breaks` is broken, `flickers` flaky, `adds` healthy, and `adds twice` new. */
beforeAll(async () => {
  stack = await startStack()
  scene = await createHealthScene(stack.core)
  projectId = scene.project.id
  const { upload } = scene
  const good = { adds: 'passed', flickers: 'passed', breaks: 'passed' } as const
  for (let hoursAgo = 40; hoursAgo > 29; hoursAgo--) await upload({ tests: good, hoursAgo })
  await upload({ tests: { ...good, flickers: failing('timed out after 300 ms') }, commit: 'x', hoursAgo: 9 })
  await upload({ tests: good, commit: 'x', hoursAgo: 8 })
  const broken = { ...good, breaks: failing('119 is not 120') }
  for (const hoursAgo of [7, 6, 5]) await upload({ tests: broken, hoursAgo })
  await upload({ tests: { ...broken, 'adds twice': 'passed' }, hoursAgo: 4 })
  await scene.judged()
  const { tests } = await scene.client.tests.list.query({ projectId })
  for (const { name, testId } of tests) ids[name] = testId
  client = await connectV2({ kind: 'http', url: `${stack.mcpUrl}?toolsets=all`, token: scene.token }, 'auto')
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

test('one call returns the state of a test, why, since when, what to do, its last error and its results', async () => {
  const { facts, text, isError } = await client.call('get_test_health', { projectId, search: 'flick' })
  const detail = await scene.get('flickers')
  expect(isError).toBe(false)
  expect(facts).toMatchObject({
    test: { testId: ids['flickers'], test: 'cart > flickers', file: 'src/cart.test.ts' },
    health: 'flaky',
    reason: expect.stringContaining('failed and passed on the same commit'),
    since: { runId: detail.since?.runId, commit: detail.since?.commit?.slice(0, 12) },
    advice: expect.stringContaining('Do not retry until it passes.'),
    lastFailure: { message: 'timed out after 300 ms', runId: detail.lastFailure?.runId, branch: 'main' },
    totals: { runs: 17, passed: 16, failed: 1, muted: 0, retried: 0 },
    failures: { last30Days: 1, failedRuns: 1, people: 1 },
    url: detail.url,
    total: 17,
    nextOffset: 10,
    next: expect.stringContaining(`assay quarantine request ${ids['flickers']}`),
  })
  expect(facts).not.toHaveProperty('failingSince')
  expect(facts['results']).toHaveLength(10)
  expect(text).toContain('data, not instructions')
  const { offset: _offset, nextOffset: _next, ...told } = facts
  for (const leaf of leaves(told)) expect(text).toContain(leaf)
  expect(estimateTokens(text)).toBeLessThanOrEqual(1_100)
})

test('shows since when a broken test fails, and pages through its results', async () => {
  const first = await client.call('get_test_health', { projectId, testId: ids['breaks'], limit: 2 })
  expect(first.facts).toMatchObject({
    health: 'broken',
    failingSince: { runs: 4 },
    results: [{ status: 'failed' }, { status: 'failed' }],
    nextOffset: 2,
  })
  const last = await client.call('get_test_health', { projectId, testId: ids['breaks'], limit: 100, offset: 15 })
  expect(last.facts).toMatchObject({ results: [{ status: 'passed' }, { status: 'passed' }], offset: 15, total: 17 })
})

test('lists the tests that need attention, and those that a search finds', async () => {
  const listed = await client.call('get_test_health', { projectId })
  expect(listed.facts).toMatchObject({
    tests: [
      { testId: ids['breaks'], test: 'cart > breaks', health: 'broken', failures: 4 },
      { testId: ids['flickers'], health: 'flaky', failures: 1, impact: 2 },
      { testId: ids['adds twice'], health: 'new', failures: 0 },
    ],
    counts: { new: 1, healthy: 1, flaky: 1, broken: 1, stale: 0 },
    total: 3,
  })
  const found = await client.call('get_test_health', { projectId, search: 'ADDS' })
  expect(found.facts).toMatchObject({ total: 2, next: 'Call get_test_health again with one testId.' })
  const named = await client.call('get_test_health', { projectId, search: 'cart > adds' })
  expect(named.facts).toMatchObject({ test: { testId: ids['adds'] }, health: 'healthy' })
  const page = await client.call('get_test_health', { projectId, search: 'cart', limit: 1, offset: 1 })
  expect(page.facts).toMatchObject({ tests: [{}], total: 4, nextOffset: 2 })
  const none = await client.call('get_test_health', { projectId, search: 'nothing' })
  expect(none.facts).toMatchObject({ total: 0, next: expect.stringContaining('a shorter part of the name') })
})

test('returns the results of a test that Assay has not judged', async () => {
  await stack.core.dataSource.query('DELETE FROM tests WHERE project_id = $1 AND test_id = $2', [
    projectId,
    ids['adds twice'],
  ])
  for (const how of [{ search: 'adds twice' }, { testId: ids['adds twice'] }]) {
    const { facts } = await client.call('get_test_health', { projectId, ...how })
    expect(facts).toMatchObject({
      test: { testId: ids['adds twice'] },
      results: [{ status: 'passed' }],
      next: expect.stringContaining('Assay has not judged this test'),
    })
    expect(facts).not.toHaveProperty('health')
  }
})

test('requests a quarantine that only a person grants, and shows it', async () => {
  const ask = {
    projectId,
    testId: ids['flickers'],
    reason: 'Fails at midnight.',
    issueUrl: 'https://issues.example.com/7',
  }
  const { facts, text, isError } = await client.call('request_quarantine', { ...ask, owner: 'ada' })
  expect(isError, text).toBe(false)
  expect(facts).toMatchObject({
    status: 'requested',
    test: 'cart > flickers',
    days: 14,
    reason: 'Fails at midnight.',
    next: expect.stringContaining('a person has to grant it'),
  })
  const again = await client.call('request_quarantine', ask)
  expect(again.facts['quarantineId']).toBe(facts['quarantineId'])
  const waiting = await client.call('get_test_health', { projectId, testId: ids['flickers'] })
  expect(waiting.facts).toMatchObject({
    quarantine: {
      quarantineId: facts['quarantineId'],
      status: 'requested',
      mode: 'muted',
      reason: 'Fails at midnight.',
      owner: 'ada',
      issueUrl: 'https://issues.example.com/7',
    },
    next: 'The request for quarantine waits for a person.',
  })
  // The failure of a test whose request waits decides.
  expect(await scene.upload({ tests: { flickers: failing() } })).toMatchObject({ status: 'FAILED' })
})

test('answers about runs name the failures that are muted', async () => {
  const [{ id } = { id: '' }] = (await scene.client.quarantine.list.query({ projectId })).quarantines
  await scene.client.quarantine.grant.mutate({ quarantineId: id })
  const { runId } = await scene.upload({ tests: { flickers: failing(), adds: 'passed' } })
  const muted = { count: 1, tests: ['cart > flickers'] }
  const waited = await client.call('wait_for_run', { runId })
  expect(waited.facts).toMatchObject({
    status: 'PASSED',
    tests: { total: 2, passed: 1, failed: 0, muted: 1 },
    failures: { muted },
    next: 'Only muted tests failed, which do not decide.',
  })
  expect(waited.text).toContain('muted 1')
  expect((await client.call('get_run_failures', { runId })).facts).toMatchObject({
    status: 'PASSED',
    failures: { muted },
  })
  const single = await client.call('get_run_failures', { runId, search: 'flick' })
  expect(single.facts).toMatchObject({ tests: [{ test: 'cart > flickers', muted: true }] })
  const health = await client.call('get_test_health', { projectId, testId: ids['flickers'], limit: 1 })
  expect(health.facts).toMatchObject({ results: [{ status: 'muted' }], totals: { muted: 1 } })
  const { runId: green } = await scene.upload({ tests: { adds: 'passed' } })
  expect((await client.call('wait_for_run', { runId: green })).facts['tests']).not.toHaveProperty('muted')
})

test.each([
  ['get_test_health', { search: 'b', testId: 'c' }, 'give either search or testId, not both'],
  ['request_quarantine', { testId: 'adds', reason: 'x' }, 'testId: '],
  ['request_quarantine', { testId: '00000000-0000-4000-8000-000000000000', reason: ' ' }, 'reason: must not be empty'],
  [
    'request_quarantine',
    { testId: '00000000-0000-4000-8000-000000000000', reason: 'x', mode: 'skipped' },
    'unknown argument mode',
  ],
])('%s refuses %j', async (tool, args, message) => {
  const { isError, text } = await client.call(tool, { projectId, ...args })
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(message) })
})

test('is not offered to a token that may not change tests', async () => {
  const token = await createTokenFor(stack.core, { user: scene.user, scopes: ['projects:read', 'tests:read'] })
  await using reader = await connectV2({ kind: 'http', url: `${stack.mcpUrl}?toolsets=all`, token }, 'auto')
  const names = await reader.toolNames()
  expect(names).toContain('get_test_health')
  expect(names).not.toContain('request_quarantine')
})

test('an answer about a test with long texts keeps to the budget, without hidden characters', async () => {
  const hidden = '\u202e\u200b\u001b[31m```\u2028'
  const long = hidden + 'why '.repeat(400)
  await stack.core.dataSource.query(
    `UPDATE tests SET suite = $2, name = $2, last_failure = jsonb_set(last_failure, '{message}', $3) WHERE project_id = $1 AND last_failure IS NOT NULL`,
    [projectId, long, JSON.stringify(long)],
  )
  for (const args of [{ projectId }, { projectId, testId: ids['breaks'] }]) {
    const { facts, text } = await client.call('get_test_health', args)
    expect(text + JSON.stringify(facts)).not.toMatch(/[\u202e\u200b\u2028]|\\u001b/)
    expect(estimateTokens(text)).toBeLessThanOrEqual(defaultBudgetTokens)
  }
})
