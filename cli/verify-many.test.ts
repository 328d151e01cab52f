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
  await running.until(({ stderr }) => /^Verification \w{26} of b\.test\.js$/m.test(stderr))
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

test('a provisional verdict is one short line, and the final one is printed in full', async () => {
  const { id } = await createVerificationFor(app, { projectId, status: 'running', attempt: 1, verdict: 'no_gain' })
  const verifications = app.dataSource.getRepository(VerificationEntity)
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
  await verifications.update({ id }, { evidence: { ...final, notRun: ['repeats', 'mutants'] } })
  const running = startAssay(['verify', '--id', id], { cwd: repository.path, env })
  await running.until(({ stderr }) => stderr.includes('Provisional'))
  await verifications.update({ id }, { status: 'completed', completedAt: new Date(), evidence: final })
  const { stdout, stderr } = await running.ended
  expect(stderr.match(/^Provisional.*$/gm)).toEqual(['Provisional: no_gain. Still open: the repetition, the mutants.'])
  expect(`${stdout}${stderr}`.match(/The test adds nothing\./g)).toHaveLength(1)
})

test('prints the ids of those that were started before the server refuses the others', async () => {
  for (let count = 0; count < 145; count++) await createVerificationFor(app, { projectId })
  const names = Array.from({ length: 60 }, (_, number) => `many/${number}.test.js`)
  await repository.write(Object.fromEntries(names.map((name) => [name, name])))
  const { exitCode, stdout, stderr } = await assay(verify('many', '--json'), { cwd: repository.path, env })
  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.stringContaining('195 queued verifications') } })
  expect(stderr.match(/^Verification \w{26} of many\/\d+\.test\.js$/gm)).toHaveLength(50)
})
