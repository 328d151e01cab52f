import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { VerificationEntity } from '../core/verifications/entity.ts'
import type { Evidence } from '../engines/verdicts/schema.ts'
import { createVerificationFor } from '../core/verifications/testing.ts'
import { createGitRepository, type GitRepository } from '../engines/source/testing/git-repository.ts'
import { assay, startAssay } from './testing/assay.ts'

/** A web process: it starts verifications and works on none. */
let app: TestApp
let repository: GitRepository
let env: Record<string, string>
let verify: (...words: string[]) => string[]
let projectId: string
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  repository = await createGitRepository({ 'a.test.js': '1', 'b.test.js': '2' })
  const user = await createUser(app)
  env = { SVC_BASE_URL: app.url, SVC_API_TOKEN: await createTokenFor(app, { user }) }
  ;({ id: projectId } = await createProjectFor(app, { user, repository: repository.path }))
  verify = (...words) => ['verify', ...words, '--project', projectId, '--branch', 'main']
})
afterAll(async () => {
  await repository[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

test('shows each verdict as soon as it is known', async () => {
  const running = startAssay(verify('a.test.js', 'b.test.js'), { cwd: repository.path, env })
  await running.until(({ stderr }) => /^Waiting for verification \w{26} of b\.test\.js$/m.test(stderr))
  const verifications = app.dataSource.getRepository(VerificationEntity)
  const cancel = (filePath: string) =>
    verifications.update({ projectId, filePath }, { status: 'cancelled', completedAt: new Date() })
  await verifications.update(
    { projectId, filePath: 'a.test.js' },
    { status: 'running', attempt: 1, verdict: 'accepted' },
  )
  await cancel('b.test.js')
  await running.until(({ stdout }) => /^cancelled {2}b\.test\.js {2}/m.test(stdout))
  await running.until(({ stderr }) => /^Provisional: a\.test\.js: accepted/m.test(stderr))
  expect(running.stdout).not.toContain('a.test.js')
  await verifications.update({ projectId, filePath: 'a.test.js' }, { verdict: null })
  await cancel('a.test.js')
  const { exitCode, stdout } = await running.ended
  expect(stdout).toMatch(/^cancelled {2}b\.test\.js .*\ncancelled {2}a\.test\.js .*\nTests {2}2: 2 cancelled\n/)
  expect(exitCode).toBe(5)
  expect(running.stderr).not.toContain('b.test.js: starting')
})

const final: Evidence = {
  reason: 'no_assertion_noticed',
  summary: 'The test adds nothing.',
  target: null,
  framework: null,
  command: null,
  baseline: null,
  collected: null,
  runs: [],
  coverage: null,
  mutation: null,
  style: null,
  output: '',
  warnings: [],
  durationMs: 1,
}

test('a provisional verdict is one short line, and the final one is printed in full', async () => {
  const { id } = await createVerificationFor(app, { projectId, status: 'running', attempt: 1, verdict: 'no_gain' })
  const verifications = app.dataSource.getRepository(VerificationEntity)
  await verifications.update({ id }, { evidence: { ...final, notRun: ['repeats', 'mutants'] } })
  const running = startAssay(['verify', '--id', id], { cwd: repository.path, env })
  await running.until(({ stderr }) => stderr.includes('Provisional'))
  await verifications.update({ id }, { status: 'completed', completedAt: new Date(), evidence: final })
  const { stdout, stderr } = await running.ended
  expect(stderr.match(/^Provisional.*$/gm)).toEqual(['Provisional: no_gain. Still open: the repeats, the mutants.'])
  expect(`${stdout}${stderr}`.match(/The test adds nothing\./g)).toHaveLength(1)
})

test('prints warnings, and what the result of the test can depend on', async () => {
  const ended = { projectId, status: 'completed', verdict: 'no_gain', completedAt: new Date() } as const
  const { id } = await createVerificationFor(app, ended)
  const verifications = app.dataSource.getRepository(VerificationEntity)
  const dependsOn: Evidence['dependsOn'] = [
    { kind: 'time', what: 'Date.now', path: 'a.test.js', line: 3 },
    { kind: 'chance', what: 'Math.random', path: 'a.test.js', line: 4 },
  ]
  await verifications.update({ id }, { evidence: { ...final, dependsOn, warnings: ['The package is missing.'] } })
  const { stdout } = await assay(['verify', '--id', id], { cwd: repository.path, env })
  expect(stdout).toMatch(/^Warning {2}The package is missing\.$/m)
  expect(stdout).toContain(
    'Runs\t0, of which 0 failed; the result can depend on the time: Date.now (a.test.js:3) and 1 more\n',
  )
})

test('lists verifications by status, and says that one has already ended', async () => {
  const { id } = await createVerificationFor(app, { projectId, status: 'failed', completedAt: new Date() })
  const list = (...words: string[]) => assay(['verify', 'list', '--project', projectId, ...words], { env })
  expect((await list('--status', 'failed')).stdout.match(/^\w{26}/gm)).toEqual([id])
  expect(await list('--status', 'failed', '--change')).toMatchObject({ exitCode: 0, stdout: '' })
  expect(await list('--status', 'ended')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Allowed choices are pending, running'),
  })
  const line = `The verification ${id} has already failed.\n`
  expect(await assay(['verify', 'cancel', id], { env })).toMatchObject({ exitCode: 0, stdout: line })
  expect(await assay(['verify', '--id', id, '--cancel'], { env })).toMatchObject({ exitCode: 0, stdout: line })
})

test('prints the ids of those that were started before the server refuses the others', async () => {
  for (let count = 0; count < 145; count++) await createVerificationFor(app, { projectId })
  const names = Array.from({ length: 60 }, (_, number) => `many/${number}.test.js`)
  await repository.write(Object.fromEntries(names.map((name) => [name, name])))
  const { exitCode, stdout, stderr } = await assay(verify('many', '--json'), { cwd: repository.path, env })
  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.stringContaining('195 queued verifications') } })
  expect(stderr.match(/^Waiting for verification \w{26} of many\/\d+\.test\.js$/gm)).toHaveLength(50)
})
