import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../testing/factories.ts'
import { TestRunEntity } from './entity.ts'
import type { RunPlan } from '../../engines/test-plan/plan.ts'
import { projectsToJudge } from './request-health.ts'
import type { UploadedRun } from './uploads/schema.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

/** What a test did: a message where it failed; `retried` passed after an attempt that failed. */
type Outcome = 'passed' | 'skipped' | 'retried' | { message: string; stack?: string; file?: string }

const failed = (message = 'expected 3 to be 2'): Outcome => ({ message })

function testcase(name: string, outcome: Outcome): string {
  const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  const inner =
    outcome === 'passed'
      ? ''
      : outcome === 'skipped'
        ? '<skipped/>'
        : outcome === 'retried'
          ? '<flakyFailure message="once"/>'
          : `<failure message="${escape(outcome.message)}">${escape(outcome.stack ?? '')}</failure>`
  const file = (typeof outcome === 'object' && outcome.file) || 'src/cart.test.ts'
  return `<testcase classname="cart" name="${escape(name)}" file="${file}" time="0.1">${inner}</testcase>`
}

async function setUp() {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const project = await createProjectFor(app, { user, repository: 'https://example.com/a/project.git' })
  const ran = async (commit: string, tests: Record<string, Outcome>, fields: Record<string, string> = {}) => {
    const form = new FormData()
    const given = { branch: 'main', commitSha: commit.repeat(40), ...fields }
    for (const [name, value] of Object.entries(given)) form.set(name, value)
    const cases = Object.entries(tests).map(([name, outcome]) => testcase(name, outcome))
    const salt = `<!-- ${Math.random()} -->`
    const xml = `<testsuites>${salt}<testsuite name="cart">${cases.join('')}</testsuite></testsuites>`
    form.append('reports', new Blob([xml]), 'junit.xml')
    const response = await app.fetch(`/api/ci/upload/${project.id}`, { method: 'POST', body: form, token })
    expect(response.status).toBe(201)
    return ((await response.json()) as UploadedRun).runId
  }
  const digest = async (runId: string, more: { maxCharacters?: number } = {}, as = token) => {
    const pending = () => app.dataSource.query<unknown[]>(projectsToJudge)
    await expect.poll(pending).toEqual([])
    return app.client(as).testRuns.failures.query({ runId, ...more })
  }
  return { project, token, ran, digest }
}

test('calls all failures of the first run new, with file, line and message', async () => {
  const { ran, digest } = await setUp()
  const stack =
    'AssertionError: expected 3 to be 2\n    at node_modules/chai/index.js:9:1\n    at total (/builds/a/project/src/cart.ts:41:7)'
  const runId = await ran('a', { adds: 'passed', totals: { message: 'expected 3 to be 2', stack } })
  expect(await digest(runId)).toMatchObject({
    runId,
    status: 'FAILED',
    branch: 'main',
    totalTests: 2,
    failedTests: 1,
    comparedWith: null,
    newFailures: 1,
    stillFailing: 0,
    leftOut: { groups: 0, tests: 0 },
    fixed: { count: 0 },
    rerun: { command: null, procedure: 'testRuns.rerunFailed', input: { runId } },
    groups: [
      {
        message: 'expected 3 to be 2',
        tests: 1,
        newTests: 1,
        flaky: false,
        examples: [
          {
            suite: 'cart',
            name: 'totals',
            file: 'src/cart.test.ts',
            since: { kind: 'new', runId, runs: 1 },
            flaky: null,
            frame: { file: 'src/cart.ts', line: 41 },
            message: 'expected 3 to be 2',
          },
        ],
      },
    ],
  })
})

test('finds the first stack frame of the repository in any checkout folder', async () => {
  const { ran, digest } = await setUp()
  const here = '/srv/jenkins/workspace/shop'
  const stack = [
    'AssertionError: boom',
    '    at /usr/lib/node_modules/chai/index.js:1:2',
    `    at total (${here}/src/cart.ts:7:9)`,
    `    at ${here}/src/cart.test.ts:3:1`,
  ].join('\n')
  const runId = await ran('a', { adds: { message: 'boom', stack } })
  const [example] = (await digest(runId)).groups[0]?.examples ?? []
  expect(example?.frame).toEqual({ file: 'src/cart.ts', line: 7 })
  expect(example?.stack).toEqual(
    stack
      .split('\n')
      .slice(1)
      .map((line) => line.trim()),
  )
})

test('lists new failures first, says since which run the others fail, and names fixed tests', async () => {
  const { ran, digest } = await setUp()
  await ran('a', { old: 'passed', other: failed('boom'), young: 'passed', fixed: 'passed' })
  const since = await ran('b', { old: failed('late by 5 ms'), other: 'passed', young: 'passed', fixed: failed() })
  // One that was skipped, or is not there, says nothing.
  await ran('c', { old: 'skipped', young: 'passed', fixed: failed() })
  const before = await ran('d', { old: failed('late by 7 ms'), young: 'passed', fixed: failed() })
  const runId = await ran('e', { old: failed('late by 6 ms'), young: failed('no such user'), fixed: 'passed' })
  const found = await digest(runId)
  expect(found).toMatchObject({
    comparedWith: { runId: before, commitSha: 'd'.repeat(40), failedTests: 2 },
    newFailures: 1,
    stillFailing: 1,
    fixed: { count: 1, tests: ['cart > fixed'], leftOut: 0 },
  })
  expect(found.groups.map(({ examples }) => examples[0])).toMatchObject([
    { name: 'young', since: { kind: 'new', runId, runs: 1 }, flaky: null },
    { name: 'old', since: { kind: 'still_failing', runId: since, commitSha: 'b'.repeat(40), runs: 3 }, flaky: null },
  ])
})

test('groups failures with the same error apart from numbers, largest group first', async () => {
  const { ran, digest } = await setUp()
  const runId = await ran('a', {
    a: failed('connect ECONNREFUSED 127.0.0.1:5432'),
    b: failed('expected 1 to be 2'),
    c: failed('connect ECONNREFUSED 127.0.0.1:41234'),
    d: failed('connect ECONNREFUSED 127.0.0.1:9'),
  })
  const { groups } = await digest(runId)
  expect(groups.map(({ tests, examples }) => [tests, examples.map(({ name }) => name)])).toEqual([
    [3, ['a', 'c', 'd']],
    [1, ['b']],
  ])
})

test('groups errors of all files with one cause, and assertions by the file of the test', async () => {
  const { ran, digest } = await setUp()
  const inFile = (file: string, message: string, at = file) => ({ message, file, stack: `    at x (${at}:3:7)` })
  const runId = await ran('a', {
    a: inFile('src/a.test.ts', 'expected 1 to be 2'),
    b: inFile('src/b.test.ts', 'expected 3 to be 4'),
    c: inFile('src/a.test.ts', 'connect ECONNREFUSED 127.0.0.1:5432'),
    d: inFile('src/b.test.ts', 'connect ECONNREFUSED 127.0.0.1:41234'),
    e: inFile('src/a.test.ts', 'no total', 'src/cart.ts'),
    f: inFile('src/b.test.ts', 'no total', 'src/cart.ts'),
    g: inFile('src/b.test.ts', 'no total', 'src/order.ts'),
  })
  const { groups } = await digest(runId)
  const names = groups.map(({ examples }) => examples.map(({ name }) => name).join(''))
  expect(names.slice(0, 2).toSorted()).toEqual(['cd', 'ef'])
  expect(names.slice(2).toSorted()).toEqual(['a', 'b', 'g'])
})

test('lists flaky tests last, with the reason', async () => {
  const { ran, digest } = await setUp()
  await ran('a', { flips: 'passed', retries: 'retried', both: failed(), broken: 'passed' })
  await ran('a', { flips: failed(), retries: 'passed', both: 'passed', broken: 'passed' })
  await ran('b', { flips: 'passed', retries: 'retried', both: 'passed', broken: 'passed' })
  const runId = await ran('c', {
    flips: failed('flips'),
    retries: failed('retries'),
    both: failed('both'),
    broken: failed('broken'),
    fine: 'retried',
  })
  const { groups, passedAfterRetry } = await digest(runId)
  expect(groups.map(({ flaky, examples }) => [examples[0]?.name, flaky])[0]).toEqual(['broken', false])
  const flaky = Object.fromEntries(groups.flatMap(({ examples }) => examples.map((each) => [each.name, each.flaky])))
  expect(flaky).toEqual({
    broken: null,
    flips: {
      reason: 'The test failed and passed on the same commit, aaaaaaaaaaaa.',
      sinceCommit: 'a'.repeat(40),
      failures: 2,
      failureRate: 0.5,
    },
    retries: {
      reason: 'The test failed and passed in attempts of one run.',
      sinceCommit: 'a'.repeat(40),
      failures: 3,
      failureRate: 0.75,
    },
    both: expect.objectContaining({ failures: 2, sinceCommit: 'a'.repeat(40) }),
  })
  expect(passedAfterRetry).toEqual({ count: 1, tests: ['cart > fine'], leftOut: 0 })
})

test('compares runs of a branch, and its first run with the project’s branch, but never different kinds of runs', async () => {
  const { ran, digest } = await setUp()
  const main = await ran('a', { adds: failed() })
  await ran('b', { adds: failed() }, { name: 'e2e' })
  const first = await ran('c', { adds: failed() }, { branch: 'feature' })
  const second = await ran('d', { adds: failed() }, { branch: 'feature' })
  await ran('e', { adds: 'passed' })
  expect(await digest(first)).toMatchObject({ comparedWith: { runId: main }, stillFailing: 1 })
  const found = await digest(second)
  expect(found).toMatchObject({ comparedWith: { runId: first, branch: 'feature' } })
  expect(found.groups[0]?.examples[0]?.since).toMatchObject({ runId: first, runs: 2 })
})

test('compares a rerun with its original, and no other run with the rerun', async () => {
  const { ran, digest } = await setUp()
  const since = await ran('a', { adds: failed('one'), totals: failed('two'), fine: 'passed' })
  const first = await ran('b', { adds: failed('one'), totals: failed('two'), fine: 'passed' })
  const again = await ran('b', { adds: 'passed', totals: failed('two') })
  const selection = { paths: ['src/cart.test.ts'], tests: [] }
  await app.dataSource.getRepository(TestRunEntity).update({ id: again }, { rerunOf: first, selection, branch: null })
  const found = await digest(again)
  expect(found).toMatchObject({ comparedWith: { runId: first }, fixed: { count: 1, tests: ['cart > adds'] } })
  expect(found.groups).toMatchObject([
    { newTests: 0, examples: [{ name: 'totals', since: { runId: since, runs: 3 } }] },
  ])

  await app.dataSource.getRepository(TestRunEntity).update({ id: again }, { branch: 'main' })
  const later = await digest(await ran('c', { adds: failed('one'), totals: 'passed', fine: 'passed' }))
  expect(later).toMatchObject({ comparedWith: { runId: first }, newFailures: 0, stillFailing: 1 })
  expect(later.groups[0]?.examples[0]?.flaky?.reason).toBe(
    'The test failed and passed on the same commit, bbbbbbbbbbbb.',
  )
})

test('compares the coverage of two runs only if both ran all tests', async () => {
  const { ran, digest } = await setUp()
  const runs = app.dataSource.getRepository(TestRunEntity)
  const covered = async (commit: string, coverage: number, selection: { paths: string[]; tests: [] } | null = null) => {
    const id = await ran(commit, { adds: 'passed' })
    await runs.update({ id }, { coverage, selection })
    return id
  }
  const comparedWith = async (id: string) => (await digest(id)).comparedWith
  const some = { paths: ['src/cart.test.ts'], tests: [] as [] }
  const partial = await covered('a', 20, some)
  const first = await covered('b', 100)
  expect(await comparedWith(first)).toMatchObject({ runId: partial, coverage: null })
  expect(await comparedWith(await covered('c', 79.2, some))).toMatchObject({ runId: first, coverage: null })
  expect(await comparedWith(await covered('d', 90))).toMatchObject({ runId: first, coverage: 100 })
})

test('compares runs of a pull request, and its first run with the project’s branch', async () => {
  const { ran, digest } = await setUp()
  const ofPullRequest = async (runId: string, pullRequest: number) => {
    await app.dataSource.getRepository(TestRunEntity).update({ id: runId }, { branch: null, pullRequest })
    return runId
  }
  const main = await ran('a', { adds: 'passed' })
  const first = await ofPullRequest(await ran('b', { adds: failed() }), 7)
  await ofPullRequest(await ran('c', { adds: failed() }), 8)
  const second = await ofPullRequest(await ran('d', { adds: failed() }), 7)
  expect(await digest(first)).toMatchObject({ comparedWith: { runId: main }, newFailures: 1 })
  expect(await digest(second)).toMatchObject({ comparedWith: { runId: first }, stillFailing: 1 })
})

test('shortens hundreds of failures and counts the omitted ones', async () => {
  const { ran, digest } = await setUp()
  const kinds = 'abcdefghijklmnopqrstuvwxyz'
  const failures = Object.fromEntries(
    Array.from({ length: 800 }, (_, index) => {
      const kind = kinds[index % kinds.length]?.repeat(5) ?? ''
      return [
        `${'long name '.repeat(60)}${index}`,
        { message: `${kind} ${'x'.repeat(3_000)}`, stack: 'at somewhere\n'.repeat(200) },
      ]
    }),
  )
  const runId = await ran('a', failures)
  const found = await digest(runId)
  expect(JSON.stringify(found).length).toBeLessThan(7_500)
  const shown = found.groups.flatMap(({ examples }) => examples).length
  expect(found.groups.length).toBeGreaterThan(2)
  expect(found.leftOut).toEqual({ groups: 26 - found.groups.length, tests: 800 - shown })
  expect(found).toMatchObject({ failedTests: 800, newFailures: 800 })
  const longer = await digest(runId, { maxCharacters: 30_000 })
  expect(longer.groups).toHaveLength(20)
  expect(longer.groups.flatMap(({ examples }) => examples).length).toBeGreaterThan(20)
  expect(JSON.stringify(longer).length).toBeLessThan(32_000)
})

test('shows the error and the end of the log of a run without a result', async () => {
  const { project, digest } = await setUp()
  const { id } = await createRunFor(app, {
    projectId: project.id,
    status: 'FAILED',
    error: { code: 'install_failed', message: 'npm ci ended with 1.' },
  })
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`)
  await app.dataSource.query(
    'INSERT INTO test_run_log (run_id, first_line, lines, text) VALUES ($1, 0, 90, $2), ($1, 90, 10, $3)',
    [id, lines.slice(0, 90).join('\n'), lines.slice(90).join('\n')],
  )
  const found = await digest(id)
  expect(found).toMatchObject({ status: 'ERROR', groups: [], rerun: null, error: { code: 'install_failed' } })
  expect(found.error?.log).toEqual(lines.slice(80))
})

test('returns the short rerun command of the plan', async () => {
  const { ran, digest } = await setUp()
  const runId = await ran('a', { adds: 'passed', totals: failed() })
  const test = { argv: ['npx', 'vitest', 'run'], command: 'npx vitest run', environment: {}, because: 'it is vitest' }
  const recipe: RunPlan = {
    parts: [
      {
        directory: '',
        ecosystem: 'javascript',
        manager: 'npm',
        framework: 'vitest',
        install: null,
        prepare: [],
        test,
        targetCount: 0,
        reports: [],
        coverage: [],
        failureExitCodes: [1],
        notes: [],
      },
    ],
  }
  await app.dataSource.getRepository(TestRunEntity).update({ id: runId }, { recipe })
  const { rerun } = await digest(runId)
  expect(rerun?.command).toMatch(/^npx vitest run .*src\/cart\.test\.ts.*/)
})

test('offers no rerun for a failed plan of a TAP report, but for the failed tests next to it', async () => {
  const { project, token, digest } = await setUp()
  const uploaded = async (tap: string) => {
    const form = new FormData()
    form.set('branch', 'main')
    form.set('commitSha', 'a'.repeat(40))
    form.append('reports', new Blob([tap]), 'results.tap')
    const response = await app.fetch(`/api/ci/upload/${project.id}`, { method: 'POST', body: form, token })
    expect(response.status, await response.clone().text()).toBe(201)
    return digest(((await response.json()) as UploadedRun).runId)
  }
  expect(await uploaded('TAP version 13\n1..3\nok 1 - adds\n')).toMatchObject({ failedTests: 1, rerun: null })
  expect(await uploaded('TAP version 13\n1..3\nnot ok 1 - adds\n')).toMatchObject({
    failedTests: 2,
    rerun: { procedure: 'testRuns.rerunFailed' },
  })
})

test('hides runs of other users', async () => {
  const { ran, digest } = await setUp()
  const runId = await ran('a', { adds: failed() })
  await expect(digest(runId, {}, await createTokenFor(app))).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  await expect(digest(runId, { maxCharacters: 1 })).rejects.toThrow(/^maxCharacters:/)
})
