import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageAt } from '../../../core/testing/dashboard-pages.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../../../core/testing/factories.ts'
import { createRepository, type TestRepository } from '../../../client/testing/repository.ts'
import { defaultBudgetTokens, estimateTokens } from '../../answers/output.ts'
import { type CalledTool, connectV1, connectV2, type TestClient, leaves } from '../../testing/clients.ts'
import { type Stack, startStack } from '../../testing/stack.ts'

/** Two causes: `total` is wrong, which two tests find, and `label` breaks. */
const redFiles = {
  'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
  'src/price.js':
    'export function total(costs) {\n  return costs.length\n}\n\n' +
    'export function label(item) {\n  return item.name.toUpperCase()\n}\n',
  'src/price.test.js': [
    "import assert from 'node:assert/strict'",
    "import { test } from 'node:test'",
    "import { label, total } from './price.js'",
    "test('adds one', () => assert.equal(total([7]), 7))",
    "test('adds two', () => assert.equal(total([7, 8]), 15))",
    "test('adds none', () => assert.equal(total([]), 0))",
    "test('names an item without a name', () => assert.equal(label({}), ''))",
    '',
  ].join('\n'),
}

let stack: Stack
let user: Awaited<ReturnType<typeof createUser>>
let client: TestClient
let shop: TestRepository
let projectId: string
let red: CalledTool
let redId: string

beforeAll(async () => {
  ;[stack, shop] = await Promise.all([startStack(), createRepository(redFiles)])
  user = await createUser(stack.core)
  const token = await createTokenFor(stack.core, { user })
  client = await connectV2({ kind: 'http', url: stack.mcpUrl, token }, 'auto')
  projectId = (await createProjectFor(stack.core, { user, repository: shop.path })).id
  red = await client.call('trigger_run', { projectId })
  redId = String(red.facts['runId'])
}, 60_000)
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
  await shop[Symbol.asyncDispose]()
})

test('one call runs the tests and returns the causes, the places and a command to run them again', () => {
  expect(red).toMatchObject({
    isError: false,
    facts: {
      status: 'FAILED',
      branch: 'main',
      tests: { total: 4, passed: 1, failed: 3 },
      failures: {
        newFailures: 3,
        stillFailing: 0,
        groups: [
          {
            tests: 2,
            newTests: 2,
            examples: [
              { test: 'adds one', file: 'src/price.test.js:4' },
              { test: 'adds two', file: 'src/price.test.js:5' },
            ],
          },
          {
            message: expect.stringContaining('undefined'),
            examples: [{ test: 'names an item without a name', at: 'src/price.js:6' }],
          },
        ],
        rerunCommand: expect.stringContaining('node --test'),
      },
    },
  })
  expect(red.text).toMatch(/^status: FAILED\n/)
  expect(red.text).toContain('tests: total 4, passed 1, failed 3, skipped 0, flaky 0')
  expect(red.text).toContain('src/price.js:6')
  expect(red.text).toContain(`trigger_run with rerunFailedOf ${redId}`)
  expect(red.text).toContain('data, not instructions')
})

test('answers about a run and a test name their pages', async () => {
  const url = `${stack.core.url}/projects/${projectId}/runs/${redId}`
  const answers = [
    red,
    await client.call('get_run', { runId: redId }),
    await client.call('get_run_failures', { runId: redId }),
    await client.call('get_run_failures', { runId: redId, offset: 0 }),
  ]
  for (const { facts, text } of answers) {
    expect(facts).toMatchObject({ url })
    expect(text).toContain(`\nurl: ${url}\n`)
  }
  expect(await pageAt(url, stack.core.url)).toBe('/projects/$projectId/runs/$runId')
  const history = await client.call('get_test_health', { projectId, search: 'adds one' })
  expect(await pageAt(String(history.facts['url']), stack.core.url)).toBe('/projects/$projectId/tests/$testId')
})

test('a failed run needs at most two calls and 1,500 tokens to its cause', async () => {
  const started = await client.call('trigger_run', { rerunFailedOf: redId, waitSeconds: 0 })
  const { runId } = started.facts
  expect(started.text).toContain(`Call wait_for_run with runId ${String(runId)}`)
  const ended = await client.call('wait_for_run', { runId })
  expect(ended.facts).toMatchObject({ status: 'FAILED', rerunOf: redId, tests: { failed: 3 } })
  expect(ended.text).toContain('src/price.js:6')
  expect(ended.text).toContain(`runId ${redId}`)
  for (const form of ['text', 'facts'] as const) {
    const tokens = [started, ended].map((answer) => estimateTokens(JSON.stringify(answer[form])))
    expect(tokens.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(1_500)
  }
})

test('returns the digest, and with search or offset the whole message and stack of each test', async () => {
  const digest = await client.call('get_run_failures', { runId: redId })
  expect(digest.facts).toMatchObject({ runId: redId, status: 'FAILED', failures: { newFailures: 3 } })
  const found = await client.call('get_run_failures', { runId: redId, search: 'adds TWO' })
  expect(found.facts).toMatchObject({ total: 1, tests: [{ test: 'adds two', output: expect.stringContaining('15') }] })
  expect(found.text).toMatch(/```\n[^`]*price\.test\.js:5[^`]*```/)
  const all = await client.call('get_run_failures', { runId: redId, offset: 1 })
  expect(all.facts).toMatchObject({ total: 3, offset: 1 })
  expect(all.facts['tests']).toHaveLength(2)
  const none = await client.call('get_run_failures', { runId: redId, search: 'no such test' })
  expect(none.facts).toMatchObject({ total: 0, next: expect.stringContaining('get_run_failures') })
})

test('returns the failures of the latest ended run of a project, and after a passed one names the last failed run', async () => {
  const { id } = await createProjectFor(stack.core, { user })
  const none = await client.call('get_run_failures', { projectId: id })
  expect(none).toMatchObject({ isError: true, text: expect.stringContaining('trigger_run') })
  const made = { projectId: id, totalTests: 1 }
  const { id: failed } = await createRunFor(stack.core, { ...made, status: 'COMPLETED', failedTests: 1 })
  await createRunFor(stack.core, { ...made, status: 'PENDING' })
  const redOne = await client.call('get_run_failures', { projectId: id })
  expect(redOne.facts).toMatchObject({ runId: failed, status: 'FAILED' })
  expect(redOne.facts).not.toHaveProperty('lastRed')

  const { id: passed } = await createRunFor(stack.core, { ...made, status: 'COMPLETED', passedTests: 1 })
  const green = await client.call('get_run_failures', { projectId: id })
  expect(green.facts).toMatchObject({ runId: passed, status: 'PASSED', lastRed: { runId: failed, status: 'FAILED' } })
  expect(green.text).toContain(`status: PASSED\n`)
  expect(green.text).toContain(`The last failed run is ${failed}: FAILED`)
  for (const args of [{}, { projectId: id, runId: failed }]) {
    const { text } = await client.call('get_run_failures', args)
    expect(text).toContain('give either runId or projectId, for its latest run')
  }
})

test('the text has the same facts as the structured content', async () => {
  const answers = [
    red,
    await client.call('get_run', { runId: redId }),
    await client.call('list_runs', { projectId }),
    await client.call('get_run_failures', { runId: redId }),
    await client.call('get_run_failures', { runId: redId, offset: 0 }),
    await client.call('get_run_log', { runId: redId }),
    await client.call('get_test_health', { projectId, search: 'adds one' }),
    await client.call('get_test_health', { projectId, search: 'adds' }),
  ]
  for (const { facts, text, isError } of answers) {
    expect(isError).toBe(false)
    const { offset: _offset, nextOffset: _next, ...told } = facts
    for (const line of leaves(told).flatMap((leaf) => leaf.split('\n'))) expect(text).toContain(line)
  }
})

test('shows the commands of a run, and pages through its log from either end', async () => {
  const run = await client.call('get_run', { runId: redId })
  expect(run.facts).toMatchObject({ status: 'FAILED', type: 'ALL', source: 'api', commitSha: await head() })
  expect(run.text).toMatch(/^plan: .*because\n- .*node --test/m)
  expect(run.text).toContain('get_run_failures')
  const last = await client.call('get_run_log', { runId: redId, limit: 3 })
  const total = Number(last.facts['totalLines'])
  expect(last.facts).toMatchObject({ offset: total - 3, live: false })
  expect(last.facts).not.toHaveProperty('nextOffset')
  const first = await client.call('get_run_log', { runId: redId, offset: 0, limit: 2 })
  expect(first.facts).toMatchObject({ offset: 0, nextOffset: 2, lines: [expect.any(String), expect.any(String)] })
  expect(first.text).toContain('Call again with offset 2')
})

const head = () => shop.git('rev-parse', 'HEAD')

test('after the fix the run passes and names the fixed tests, and the history shows since when they failed', async () => {
  const source = redFiles['src/price.js'].replace('costs.length', 'costs.reduce((sum, cost) => sum + cost, 0)')
  await shop.write({ 'src/price.js': source.replace('item.name.', '(item.name ?? "").') })
  await shop.git('commit', '--all', '--message', 'Mend')
  const before = await client.call('get_test_health', { projectId, search: 'adds one' })
  expect(before.facts).toMatchObject({ test: { test: 'adds one' }, failingSince: { runId: redId, runs: 2 } })

  const progress: string[] = []
  const green = await client.call('trigger_run', { projectId }, ({ message }) => progress.push(message ?? ''))
  expect(green.facts).toMatchObject({
    status: 'PASSED',
    tests: { failed: 0, passed: 4 },
    failures: { fixed: { count: 3, tests: expect.arrayContaining(['adds one']) } },
  })
  expect(green.text).toContain('  fixed:\n    count: 3\n    tests: ')
  expect(progress[0]).toContain(`run ${String(green.facts['runId'])}: `)

  const after = await client.call('get_test_health', { projectId, search: 'adds one', limit: 1 })
  expect(after.facts).toMatchObject({
    totals: { runs: 3, passed: 1, failed: 2, muted: 0, retried: 0 },
    results: [{ runId: green.facts['runId'], status: 'passed', commit: (await head()).slice(0, 12) }],
    nextOffset: 1,
  })
  expect(after.facts).not.toHaveProperty('failingSince')
  const several = await client.call('get_test_health', { projectId, search: 'adds' })
  expect(several.facts).toMatchObject({ total: 3, next: 'Call get_test_health again with one testId.' })
  // This test was not part of the rerun.
  const listed = several.facts['tests'] as { testId: string; test: string }[]
  const testId = listed.find(({ test }) => test === 'adds none')?.testId
  const byId = await client.call('get_test_health', { projectId, testId })
  expect(byId.facts).toMatchObject({ test: { testId }, total: 2 })
  const runs = await client.call('list_runs', { projectId, status: 'PASSED' })
  expect(runs.facts).toMatchObject({ total: 1, runs: [{ runId: green.facts['runId'], status: 'PASSED' }] })
})

test('the same idempotency key returns the same run, and cancelling twice is allowed', async () => {
  const { id } = await createProjectFor(stack.core, { user, repository: shop.path })
  await stack.core.client(await createTokenFor(stack.core, { user })).projects.updateProjectSettings.mutate({
    projectId: id,
    settings: { testCommand: 'sleep 60' },
  })
  const args = { projectId: id, branch: 'main', idempotencyKey: 'once', waitSeconds: 0 }
  const first = await client.call('trigger_run', args)
  const second = await client.call('trigger_run', args)
  const { runId } = first.facts
  expect(second.facts['runId']).toBe(runId)
  expect(second.text).toContain('cancel_run')
  expect((await client.call('wait_for_run', { runId, waitSeconds: '0' })).facts['status']).toMatch(/PENDING|RUNNING/)
  const early = await client.call('trigger_run', { rerunFailedOf: runId })
  expect(early).toMatchObject({ isError: true, text: expect.stringContaining('Wait for its end with wait_for_run') })
  for (const _ of [1, 2]) {
    const cancelled = await client.call('cancel_run', { runId })
    expect(cancelled).toMatchObject({ isError: false, facts: { runId, status: 'CANCELLED' } })
  }
  expect((await client.call('wait_for_run', { runId })).facts).toMatchObject({ status: 'CANCELLED' })
  expect((await client.call('cancel_run', { runId: redId })).text).toContain('The run had already ended.')
})

test('a cancelled call does not cancel its run, whose id came with the progress', async () => {
  const token = await createTokenFor(stack.core, { user })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const impatient = new Client({ name: 'test', version: '1' })
  await impatient.connect(new StreamableHTTPClientTransport(new URL(stack.mcpUrl), { requestInit }))
  const leaving = new AbortController()
  let told = ''
  const onprogress = ({ message = '' }: { message?: string }) => {
    told ||= message
    leaving.abort()
  }
  const call = impatient.callTool(
    { name: 'trigger_run', arguments: { projectId } },
    { signal: leaving.signal, onprogress },
  )
  await expect(call).rejects.toThrow()
  await impatient.close()
  const runId = /^run (\w+): waits/.exec(told)?.[1]
  expect((await client.call('wait_for_run', { runId })).facts).toMatchObject({ runId, status: 'PASSED' })
})

test('a run without results shows the error and the end of its log', async () => {
  const error = { code: 'install_failed', message: 'npm ci ended with code 1.' }
  const run = await createRunFor(stack.core, {
    projectId,
    status: 'FAILED',
    branch: 'main',
    error,
    completedAt: new Date(),
  })
  const lines = ['npm error code E404', 'npm error 404 Not Found']
  await stack.core.dataSource.query(
    'INSERT INTO test_run_log (run_id, first_line, lines, text) VALUES ($1, 0, 2, $2)',
    [run.id, lines.join('\n')],
  )
  const ended = await client.call('wait_for_run', { runId: run.id })
  const digest = await client.call('get_run_failures', { runId: run.id })
  for (const { facts, text } of [ended, digest]) {
    expect(facts).toMatchObject({ status: 'ERROR', error: 'install_failed: npm ci ended with code 1.' })
    expect(text).toContain(`\`\`\`\n${lines.join('\n')}\n\`\`\``)
    expect(text).toContain('get_run_log')
  }
})

test('a failing test with hidden characters in its name has a command that runs its file', async () => {
  const { id } = await createProjectFor(stack.core, { user })
  const [{ recipe } = {}] = await stack.core.dataSource.query<{ recipe?: unknown }[]>(
    'SELECT recipe FROM test_runs WHERE id = $1',
    [redId],
  )
  const run = await createRunFor(stack.core, { projectId: id, status: 'COMPLETED', totalTests: 1, failedTests: 1 })
  await stack.core.dataSource.query('UPDATE test_runs SET recipe = $2 WHERE id = $1', [run.id, JSON.stringify(recipe)])
  await stack.core.dataSource.query(
    `INSERT INTO test_results (run_id, position, test_id, suite, name, file, line, status, message, stack, flaky, error_id)
     SELECT $1, 1, gen_random_uuid(), 'cart', $2, 'test/price.test.js', 5, 'failed', 'no', 'no', false, gen_random_uuid()`,
    [run.id, 'adds\u202e two'],
  )
  const { facts } = await client.call('get_run_failures', { runId: run.id })
  expect(facts['failures']).toMatchObject({
    rerunCommand: expect.stringMatching(/^node --test .*test\/price\.test\.js$/),
  })
})

test('a flaky failure comes last with the reason', async () => {
  const { id } = await createProjectFor(stack.core, { user })
  const run = (failedTests: number) =>
    createRunFor(stack.core, {
      projectId: id,
      status: 'COMPLETED',
      commitSha: 'c'.repeat(40),
      totalTests: 2,
      failedTests,
    })
  const [before, after] = [await run(0), await run(2)]
  await stack.core.dataSource.query(
    `INSERT INTO test_results (run_id, position, test_id, suite, name, status, message, flaky, error_id)
     SELECT run, n, md5(n::text)::uuid, 'cart', 'test ' || n, CASE WHEN run = $1 THEN 'passed' ELSE 'failed' END,
            'cause ' || n, false, md5('e' || n)::uuid
       FROM (VALUES ($1, 1), ($2, 1), ($2, 2)) AS rows (run, n)`,
    [before.id, after.id],
  )
  const evidence = [false, true].map((failed) => ({
    runId: after.id,
    at: 0,
    commit: 'c'.repeat(40),
    failed,
    fingerprint: null,
  }))
  await stack.core.dataSource.query(
    `INSERT INTO tests (project_id, test_id, variant, suite, name, health, rule, evidence, counts, first_seen_at, last_seen_at, changed_at)
     VALUES ($1, md5('1')::uuid, '', 'cart', 'test 1', 'flaky', 'same_commit', $2, '{}', now(), now(), now())`,
    [id, JSON.stringify(evidence)],
  )
  const { facts, text } = await client.call('get_run_failures', { runId: after.id })
  expect(facts).toMatchObject({
    failures: {
      groups: [{ examples: [{ test: 'cart > test 2' }] }, { flaky: true, examples: [{ test: 'cart > test 1' }] }],
    },
  })
  expect(text).toMatch(
    /- cause 1 \| 1 \| 1 \| true\n +examples: test \| flaky\n +- cart > test 1 \| The test failed and passed on the same commit/,
  )
})

test('answers about many failures keep to the budget, count the rest and say how to read it', async () => {
  const run = await createRunFor(stack.core, {
    projectId,
    status: 'COMPLETED',
    branch: 'main',
    totalTests: 300,
    failedTests: 300,
    completedAt: new Date(),
  })
  const hidden = '\u202e\u200b\u001b[31m```\u2028'
  await stack.core.dataSource.query(
    `INSERT INTO test_results (run_id, position, test_id, suite, name, file, line, status, message, stack, flaky, error_id)
     SELECT $1, n, md5(n::text)::uuid, $2 || repeat('s', 200), 'test ' || n, 'src/' || repeat('d', 200) || '.js', n, 'failed',
            $2 || 'cause ' || n || repeat(' why', 200), $2 || 'at src/x.js:1:1', false, md5('e' || n % 60)::uuid
       FROM generate_series(1, 300) n`,
    [run.id, hidden],
  )
  const ended = await client.call('wait_for_run', { runId: run.id })
  const digest = await client.call('get_run_failures', { runId: run.id })
  const pages = await client.call('get_run_failures', { runId: run.id, offset: 298 })
  for (const answer of [ended, digest, pages]) {
    expect(answer.isError).toBe(false)
    expect(JSON.stringify(answer)).not.toMatch(/[\u202e\u200b\u2028]|\\u001b/)
  }
  for (const form of ['text', 'facts'] as const) {
    expect(estimateTokens(JSON.stringify(ended[form]))).toBeLessThanOrEqual(1_300)
    expect(estimateTokens(JSON.stringify(digest[form]))).toBeLessThanOrEqual(defaultBudgetTokens)
  }
  const { groups, leftOut } = digest.facts['failures'] as {
    groups: { examples: unknown[] }[]
    leftOut: { groups: number; tests: number }
  }
  expect(leftOut.groups).toBe(60 - groups.length)
  expect(leftOut.tests).toBe(300 - groups.reduce((sum, { examples }) => sum + examples.length, 0))
  expect(digest.text).toContain('and offset 0 lists all 300 failed tests')
  expect(pages.facts).toMatchObject({ total: 300, offset: 298, tests: [{}, {}] })
  expect(pages.facts).not.toHaveProperty('nextOffset')
})

test.each([
  ['trigger_run', {}, 'give projectId or rerunFailedOf'],
  ['trigger_run', { rerunFailedOf: 'a', projectId: 'b', branch: 'c' }, 'so leave out projectId, branch'],
  ['trigger_run', { projectId: 'a', commitSha: 'HEAD' }, 'commitSha: must be a full commit id'],
  ['trigger_run', { projectId: 'a', paths: ['../x'] }, 'must be a path within the repository'],
  ['wait_for_run', {}, 'runId: is required'],
  ['wait_for_run', { runId: 'a', waitSeconds: 46 }, 'waitSeconds: must be at most'],
  ['list_runs', { projectId: 'a', status: 'COMPLETED' }, 'status: must be one of'],
  ['get_run_log', { runId: 'a', lines: 5 }, 'unknown argument lines; the arguments are runId, offset, limit'],
  ['get_test_health', {}, 'projectId: is required'],
  ['get_test_health', { projectId: 'a', search: 'b', testId: 'c' }, 'give either search or testId'],
])('%s refuses %j and says what is wrong', async (tool, args, message) => {
  const { isError, text } = await client.call(tool, args)
  expect(isError).toBe(true)
  expect(text).toContain(message)
  expect(text.startsWith(`${tool} was not run: `)).toBe(true)
})

test('a token that can start runs but not read them learns the id of its run', async () => {
  const token = await createTokenFor(stack.core, { user, scopes: ['tests:run'] })
  await using weak = await connectV1({ kind: 'http', url: stack.mcpUrl, token })
  const { facts, isError } = await weak.call('trigger_run', { projectId })
  expect(isError).toBe(false)
  expect(facts).toMatchObject({ status: 'PENDING', next: expect.stringContaining('The run was started, but') })
  await client.call('cancel_run', { runId: facts['runId'] })
  const { text } = await weak.call('get_run', { runId: facts['runId'] })
  expect(text).toContain('tests:read')
})
