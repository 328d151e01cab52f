import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createGateScene, type GateScene } from '../core/gate/testing.ts'
import { assay, pageIn } from './testing/assay.ts'

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let scene: GateScene
beforeAll(async () => void (scene = await createGateScene()))
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(() => scene.newProject())

const run = (...words: string[]) =>
  assay(words, {
    cwd: scene.repository.path,
    env: { SVC_API_TOKEN: scene.token, SVC_BASE_URL: scene.app.url },
  })

test('waits for the gate of the checkout, prints its table, and exits by its conclusion', async () => {
  const head = await scene.push({
    'src/cart.js': scene.lines('export function total() {', '  start() // +', '  fail() // -', '}'),
  })
  await scene.upload({ commitSha: head, tests: { adds: 'failed' } })
  const informational = await run('gate', '--project', scene.projectId)
  expect(informational.exitCode).toBe(0)
  expect(informational.stdout).toContain('2 rules fail (informational): 1 test fails with the change: cart › adds.')
  expect(informational.stdout).toMatch(
    /✗\s+Patch coverage\s+1 of 2 changed lines is covered \(50 %; the goal is 80 %\)\./,
  )
  expect(informational.stdout).toContain('→ Cover the uncovered line: src/cart.js:3.')
  expect(informational.stdout).toMatch(/src\/cart\.js\s+3 in total/)

  await scene.policy({ mode: 'enforced' })
  const enforced = await run('gate', '--project', scene.projectId, '--json')
  expect(enforced.exitCode).toBe(1)
  expect(JSON.parse(enforced.stdout)).toMatchObject({ state: 'failure', conclusion: 'failure', headSha: head })
})

test('gives up after the timeout, and says what is missing', async () => {
  await scene.policy({ mode: 'enforced' })
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  const { exitCode, stdout, stderr } = await run(
    'gate',
    '--project',
    scene.projectId,
    '--head',
    head,
    '--timeout',
    '2s',
  )
  expect({ exitCode, stderr: stderr.includes('still waits') }).toEqual({ exitCode: 5, stderr: true })
  expect(stdout).toContain('No test has run on the commit yet.')
})

test('says that no more uploads come', async () => {
  await scene.policy({ mode: 'enforced', uploads: { untilDone: true } })
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  expect(await run('gate', '--project', scene.projectId, '--timeout', '2s')).toMatchObject({ exitCode: 5 })
  expect(await run('upload', '--done', '--project', scene.projectId)).toMatchObject({
    exitCode: 0,
    stdout: `No more uploads of commit ${head.slice(0, 12)} are expected.\n`,
  })
  expect(await run('gate', '--project', scene.projectId)).toMatchObject({ exitCode: 0 })
})

test('saves the gate as JSON next to the table, and says if the file cannot be written', async () => {
  const head = await scene.push({ 'src/cart.js': 'one -\n' })
  await scene.policy({ mode: 'enforced' })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  const { exitCode, stdout } = await run('gate', '--project', scene.projectId, '--save', 'gate.json')
  expect({ exitCode, hasTable: stdout.includes('Patch coverage') }).toEqual({ exitCode: 1, hasTable: true })
  const saved = await readFile(join(scene.repository.path, 'gate.json'), 'utf8')
  expect(JSON.parse(saved)).toMatchObject({ conclusion: 'failure', headSha: head, url: pageIn(stdout) })
  const refused = await run('gate', '--project', scene.projectId, '--save', 'nowhere/gate.json')
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nowhere/gate.json (ENOENT)') })
})

test('takes the commit from the checkout where CI names none', async () => {
  const head = await scene.push({ 'src/cart.js': 'one +\n' })
  await scene.upload({ commitSha: head, tests: { adds: 'passed' } })
  const { stdout } = await assay(['gate', '--project', scene.projectId, '--json'], {
    cwd: scene.repository.path,
    env: {
      SVC_API_TOKEN: scene.token,
      SVC_BASE_URL: scene.app.url,
      BUILDKITE: 'true',
      BUILDKITE_BRANCH: 'feature',
      BUILDKITE_COMMIT: 'HEAD',
    },
  })
  expect(JSON.parse(stdout)).toMatchObject({ headSha: head, conclusion: 'success' })
})

test('refuses contradictions and names that do not exist', async () => {
  const both = await run('gate', '--project', scene.projectId, '--head', 'main', '--pull-request', '7')
  expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('either --head or --pull-request') })
  const unknown = await run('gate', '--project', scene.projectId, '--pull-request', '7')
  expect(unknown).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('heard nothing of pull request 7') })
})
