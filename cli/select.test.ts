import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { assay } from './testing/assay.ts'
import { createRunScene, passing, type RunScene } from './testing/run-scene.ts'

// Runs take long on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

let scene: RunScene
beforeAll(async () => void (scene = await createRunScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const importing = `import '../src/mail.js'\n${passing}`

test('select prints the test files for a runner, uncommitted work included, and run --impacted runs them', async () => {
  const { repository } = await scene.project(passing)
  const typed = { env: scene.env, cwd: repository.path }
  await repository.commit({ 'src/mail.js': 'export const send = 1\n', 'test/mail.test.js': importing })
  await repository.write({ 'src/mail.js': 'export const send = 2\n' })
  const selected = await assay(['select', '--base', 'HEAD'], typed)
  expect(selected).toMatchObject({ exitCode: 0, stdout: 'test/mail.test.js\n' })
  expect(selected.stderr).toMatch(/1 of 2 test files can notice what changed since [0-9a-f]{12}\./)

  const reasons = await assay(['select', '--base', 'HEAD', '--why'], typed)
  expect(reasons.stdout).toBe('test/mail.test.js\tuses src/mail.js\n')
  expect(reasons.stderr).toContain('left out: test/cart.test.js uses nothing that changed')

  const run = await assay(['run', '--impacted', '--base', 'HEAD'], typed)
  expect(run.stdout).toContain('test/mail.test.js uses src/mail.js')
  expect(run.stdout).toMatch(/^PASSED {2}1 test: 1 passed/m)
})

test('select prints all test files where it is not certain, and says why', async () => {
  const { repository } = await scene.project(passing)
  const typed = { env: scene.env, cwd: repository.path }
  await repository.write({ 'package-lock.json': '{}\n' })
  const selected = await assay(['select', '--base', 'HEAD'], typed)
  expect(selected).toMatchObject({ exitCode: 0, stdout: 'test/cart.test.js\n' })
  expect(selected.stderr).toContain('All tests run, because')
})

test('select fails where it cannot list the test files, so that a runner is never given an empty list by mistake', async () => {
  const { repository } = await scene.project(passing)
  const typed = { env: scene.env, cwd: repository.path }
  await repository.git('rm', '-q', '-r', 'test')
  const selected = await assay(['select', '--base', 'HEAD'], typed)
  expect(selected).toMatchObject({ exitCode: 5, stdout: '' })
  expect(selected.stderr).toMatch(/Run all tests, because .+\./)
  // Programs read the mode.
  const answer = await assay(['select', '--base', 'HEAD', '--json'], typed)
  expect(answer.exitCode).toBe(0)
  expect(JSON.parse(answer.stdout)).toMatchObject({ mode: 'all', tests: [] })
})

test('wrong options are refused before anything is sent', async () => {
  const { repository } = await scene.project(passing)
  const typed = { env: scene.env, cwd: repository.path }
  for (const words of [
    ['--base', 'main'],
    ['--budget', '60'],
    ['--impacted', '--path', 'test'],
  ]) {
    expect((await assay(['run', ...words], typed)).exitCode).toBe(2)
  }
  expect((await assay(['select', '--base', 'mian'], typed)).stderr).toContain('mian')
})
