import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { UploadedRun } from '../core/test-runs/uploads/schema.ts'
import { createTokenFor } from '../core/testing/factories.ts'
import { assay } from './testing/assay.ts'
import { createGateScene, type GateScene } from './testing/gate-scene.ts'

vi.setConfig({ hookTimeout: 60_000 })

let scene: GateScene
beforeAll(async () => void (scene = await createGateScene()))
afterAll(() => scene[Symbol.asyncDispose]())

/** A report with tests of these names, of which those with a capital fail. */
const report = (...names: string[]) =>
  `<testsuite name="cart">${names
    .map(
      (name) =>
        `<testcase classname="cart" name="${name.toLowerCase()}">${/[A-Z]/.test(name) ? '<failure/>' : ''}</testcase>`,
    )
    .join('')}</testsuite>`

let uploads = 0
async function upload(xml: string, words: readonly string[] = ['--gate'], more: Record<string, string> = {}) {
  const name = `out/${++uploads}.xml`
  await scene.checkout.write({ [name]: xml })
  return assay(['upload', name, ...words], { cwd: scene.checkout.path, env: { ...scene.env, ...more } })
}

test('fails if a test failed that is not muted, and names those that are', async () => {
  const { exitCode, stdout } = await upload(report('FLAKY', 'SLOW', 'ADDS', 'other'))
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/^FAILED {2}4 tests: 1 failed, 2 failed but muted, 1 passed {2}run \w{26}\n/)
  expect(stdout).toContain('\nFailed but muted: cart > flaky, cart > slow\n')
  expect(stdout).toContain('\nGate failed  1 test failed, and 2 failed but muted.\n')
})

test('passes if only muted tests failed, or none', async () => {
  const muted = await upload(report('FLAKY', 'SLOW', 'other'))
  expect(muted).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('\nGate passed  The 2 tests that failed are muted.\n'),
  })
  const green = await upload(report('flaky'))
  expect(green).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('\nGate passed  No test failed.\n') })
})

test('fails without tests, also for coverage alone', async () => {
  const empty = await upload('<testsuite name="nothing"/>')
  expect(empty).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('\nGate failed  The reports contain no tests.\n'),
  })
  await scene.checkout.write({ 'lcov.info': 'SF:src/a.js\nDA:1,1\nend_of_record\n' })
  const place = { cwd: scene.checkout.path, env: scene.env }
  expect(await assay(['upload', 'lcov.info', '--gate'], place)).toMatchObject({ exitCode: 1 })
  expect(await assay(['upload', 'lcov.info'], place)).toMatchObject({ exitCode: 0 })
})

test('without --gate failures do not change the exit code', async () => {
  const { exitCode, stdout } = await upload(report('ADDS'), [])
  expect(exitCode).toBe(0)
  expect(stdout).not.toContain('Gate')
})

test('answers as JSON with the outcome and the names', async () => {
  const { exitCode, stdout } = await upload(report('FLAKY'), ['--gate', '--json'])
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'PASSED',
    failedTests: 0,
    mutedTests: 1,
    muted: { tests: ['cart > flaky'] },
    gate: { outcome: 'passed', reason: 'The test that failed is muted.' },
  })
})

test('decides without the names if the token may not read tests', async () => {
  const token = await createTokenFor(scene.core, { user: scene.user, scopes: ['tests:run', 'projects:read'] })
  const { exitCode, stdout } = await upload(report('FLAKY', 'also'), ['--gate'], { SVC_API_TOKEN: token })
  expect(exitCode).toBe(0)
  expect(stdout).toContain('1 failed but muted')
  expect(stdout).not.toContain('Failed but muted:')
})

async function ranAt(stdout: string): Promise<Date | undefined> {
  const { runId } = JSON.parse(stdout) as UploadedRun
  const rows = await scene.core.dataSource.query<{ at: Date }[]>('SELECT ran_at AS at FROM test_runs WHERE id = $1', [
    runId,
  ])
  return rows[0]?.at
}

test('sends the variant and the given time', async () => {
  const at = new Date(Date.now() - 3 * 86_400_000)
  const { stdout } = await upload(report('a'), ['--variant', 'windows', '--ran-at', at.toISOString(), '--json'])
  expect(await ranAt(stdout)).toEqual(at)
  const { runId } = JSON.parse(stdout) as UploadedRun
  const { results } = await scene.core.client(scene.env['SVC_API_TOKEN']).testRuns.results.query({ runId })
  expect(results.map(({ variant }) => variant)).toEqual(['windows'])
})

test('sends when the newest report was written, unless that was more than a day ago', async () => {
  const sendWritten = async (name: string, hoursAgo: number) => {
    const at = new Date(Date.now() - hoursAgo * 3_600_000)
    await scene.checkout.write({ [name]: report(name) })
    await utimes(join(scene.checkout.path, name), at, at)
    const { stdout } = await assay(['upload', name, '--json'], { cwd: scene.checkout.path, env: scene.env })
    return { at, ranAt: await ranAt(stdout) }
  }
  const recent = await sendWritten('recent.xml', 2)
  expect(recent.ranAt).toEqual(recent.at)
  const restored = await sendWritten('restored.xml', 48)
  expect(Date.now() - Number(restored.ranAt)).toBeLessThan(60_000)
})

test('`assay failures` names muted tests', async () => {
  const { stdout } = await upload(report('SLOW', 'x'), ['--json'])
  const { runId } = JSON.parse(stdout) as UploadedRun
  const shown = await assay(['failures', runId], { env: scene.env })
  expect(shown.stdout).toMatch(/^PASSED {2}2 tests: 1 failed but muted, 1 passed/)
  expect(shown.stdout).toContain('\nFailed but muted: cart > slow\n')
})
