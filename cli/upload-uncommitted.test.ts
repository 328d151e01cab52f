import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { UploadedRun } from '../core/test-runs/uploads/schema.ts'
import { assay } from './testing/assay.ts'
import { createGateScene, type GateScene } from './testing/gate-scene.ts'

// Tests start processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let scene: GateScene
let head: string
beforeAll(async () => {
  scene = await createGateScene()
  head = await scene.checkout.commit({ 'src/cart.js': 'export const add = (a, b) => a + b\n' })
})
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(async () => {
  await scene.checkout.git('reset', '--hard')
  await scene.checkout.git('clean', '-d', '--force')
})

async function upload(words: readonly string[] = [], env: Record<string, string> = {}) {
  const { checkout, core } = scene
  const name = `adds ${Math.random()}`
  await checkout.write({
    'junit.xml': `<testsuite name="cart"><testcase classname="cart" name="${name}"/></testsuite>`,
  })
  const { exitCode, stdout, stderr } = await assay(['upload', 'junit.xml', ...words, '--json'], {
    env: { ...scene.env, ...env },
    cwd: checkout.path,
  })
  expect(exitCode, stderr).toBe(0)
  const { runId } = JSON.parse(stdout) as UploadedRun
  const { branch, commitSha } = await core.client(scene.env['SVC_API_TOKEN']).testRuns.get.query({ runId })
  return { branch, commitSha, stderr }
}

test('results of changed code are not those of the commit', async () => {
  await scene.checkout.write({ 'src/cart.js': 'export const add = (a, b) => a - b\n' })
  const uploaded = await upload()
  expect(uploaded).toMatchObject({ branch: null, commitSha: null })
  expect(uploaded.stderr).toBe(
    `The working tree has uncommitted changes (src/cart.js), so these results do not count for commit ${head.slice(0, 7)}. ` +
      'Commit the changes, or name the commit with --commit if they do not matter.\n',
  )
  const gated = await scene.runSuite('0', 'junit.xml', 'adds=passed')
  expect(gated.stderr).toContain(uploaded.stderr)
  const status = await assay(['status', '--limit', '1'], { env: scene.env, cwd: scene.checkout.path })
  expect(status.stdout).toContain('\tuncommitted changes\t')
})

test('staged changes and new tests are changes; reports and other new files are not', async () => {
  await scene.checkout.write({ 'src/new.js': '', 'notes.txt': '' })
  expect(await upload()).toMatchObject({ branch: 'main', commitSha: head, stderr: '' })
  await scene.checkout.git('add', 'src/new.js')
  expect(await upload()).toMatchObject({ commitSha: null, stderr: expect.stringContaining('changes (src/new.js), so') })
  await scene.checkout.write({ 'test/cart.test.js': '', 'test/b.test.js': '', 'test/c.test.js': '' })
  expect(await upload()).toMatchObject({
    commitSha: null,
    stderr: expect.stringContaining('changes (src/new.js, test/b.test.js and 2 more files), so'),
  })
  await scene.checkout.git('reset')
  expect(await upload()).toMatchObject({ commitSha: null })
})

test('a report that is committed, and written again, is no change', async () => {
  await scene.checkout.commit({ '.gitignore': '', 'junit.xml': '<testsuite/>' })
  expect(await upload()).toMatchObject({ branch: 'main', stderr: '' })
})

test('who names the branch or the commit, or runs in CI, decides what was tested', async () => {
  await scene.checkout.write({ 'src/cart.js': '' })
  const current = await scene.checkout.git('rev-parse', 'HEAD')
  expect(await upload(['--commit', current])).toMatchObject({ branch: 'main', commitSha: current, stderr: '' })
  expect(await upload(['--branch', 'topic'])).toMatchObject({ branch: 'topic', commitSha: current, stderr: '' })
  const built = 'b'.repeat(40)
  const build = { GITLAB_CI: 'true', CI_COMMIT_REF_NAME: 'release', CI_COMMIT_SHA: built }
  expect(await upload([], build)).toMatchObject({ branch: 'release', commitSha: built, stderr: '' })
})

test('what the command of the gate changes itself does not matter', async () => {
  await scene.checkout.write({
    'build.mjs': `import { writeFileSync } from 'node:fs'
writeFileSync('src/cart.js', '// built')
writeFileSync('junit.xml', '<testsuite name="cart"><testcase classname="cart" name="builds"/></testsuite>')`,
  })
  const { exitCode, stderr } = await scene.gate(['--', process.execPath, 'build.mjs'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('uncommitted') })
})
