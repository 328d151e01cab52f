import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ProcessPool } from '../../../engines/processes/pool.ts'
import { testRunner } from '../../../engines/processes/testing/runner.ts'
import { partOf } from '../../../engines/test-plan/testing/tree.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../../testing/factories.ts'
import { maskOf } from '../../workspaces/mask.ts'
import { resultReader } from './read-reports.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const manifest = { devDependencies: { vitest: '5' }, scripts: { test: 'vitest run' } }
const part = await partOf({ 'packages/shop/package.json': manifest, 'packages/shop/a.test.ts': '' })
const { signal } = new AbortController()
// A task for the texts runs while the report is read.
const interactive = new ProcessPool({ size: 1, timeoutMs: 60_000 }).runnerFor('tests')
const runners = { background: testRunner, interactive }

interface Failure {
  message: string
  stack?: string
  /** Whether the test passed afterwards. */
  retried?: boolean
}

function testcase({ message, stack = '', retried = false }: Failure, index: number): string {
  const element = retried ? 'flakyFailure' : 'failure'
  const text = retried ? `<stackTrace>${stack}</stackTrace>` : stack
  return `<testcase classname="cart" name="test ${index}" file="test/cart-${index}.test.ts"><${element} message="${message}">${text}</${element}></testcase>`
}

/** Reads a report as the run of a project whose environment holds a secret, and returns what callers of the API see. */
async function read(failures: readonly Failure[], secret = 'hunter2-hunter2') {
  const path = join(await mkdtemp(join(tmpdir(), 'report-')), 'junit.xml')
  await writeFile(
    path,
    `<testsuites><testsuite name="cart">${failures.map(testcase).join('')}</testsuite></testsuites>`,
  )
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  const { id: runId } = await createRunFor(app, { projectId, status: 'COMPLETED' })
  await app.dataSource.transaction(async (db) => {
    const mask = maskOf({ TOKEN: secret })
    const reader = resultReader({ db, signal }, runners, runId, { paths: [], goModules: [], mask, warn: () => {} })
    await reader.read([{ path, name: 'junit.xml' }], { part, seenAs: '/workspace' })
    await reader.finish()
  })
  const { testRuns } = app.client(await createTokenFor(app, { user }))
  const { results } = await testRuns.results.query({ runId, sort: 'name', limit: 100 })
  return results.map(({ message, attempts, flaky, fingerprint }) => ({ message, attempts, flaky, fingerprint }))
}

const refused = (port: number) => `connect ECONNREFUSED 127.0.0.1:${port}`
const inDatabase = (line: number) => `Error\n    at connect (/workspace/packages/shop/src/db.ts:${line}:9)`

test('an outage has one fingerprint, also where tests passed after it', async () => {
  const results = await read([
    { message: refused(4001), stack: inDatabase(3) },
    { message: refused(4002), stack: 'Error\n    at async connect (src/db.ts:7:1)' },
    { message: refused(4003), stack: inDatabase(9), retried: true },
    { message: 'expected 1 to be 2' },
  ])
  expect(results.map(({ flaky }) => flaky)).toEqual([false, false, true, false])
  const [first, ...others] = results.map(({ fingerprint }) => fingerprint)
  expect(first).toMatch(/^[\da-f-]{36}$/)
  expect(others.map((fingerprint) => fingerprint === first)).toEqual([true, true, false])
})

test('attempts are stored without their stacks', async () => {
  const [result] = await read([{ message: refused(4001), stack: inDatabase(3), retried: true }])
  expect(result?.attempts).toEqual([{ status: 'failed', durationMs: null, message: refused(4001) }])
})

test.each<[string, (secret: string) => Failure]>([
  ['message', (secret) => ({ message: `user ${secret} is unknown` })],
  ['stack', (secret) => ({ message: 'unknown user', stack: `Error\n    at find (/workspace/src/${secret}.ts:1:2)` })],
  ['message of an attempt', (secret) => ({ message: `user ${secret} is unknown`, retried: true })],
  [
    'stack of an attempt',
    (secret) => ({ message: 'no', stack: `Error\n    at find (/workspace/src/${secret}.ts:1:2)`, retried: true }),
  ],
])('a secret in the %s does not change the fingerprint', async (_, failureWith) => {
  const [secret, other] = ['hunter2-hunter2', 'correct horse']
  const [one] = await read([failureWith(secret)], secret)
  const [two] = await read([failureWith(other)], other)
  expect(one?.fingerprint).toBe(two?.fingerprint)
  const [unmasked] = await read([failureWith(secret)], 'another value')
  expect(one?.fingerprint).not.toBe(unmasked?.fingerprint)
})
