import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTokenFor } from '../testing/factories.ts'
import { UserEntity } from '../identity/users/entity.ts'
import { ProjectEntity } from '../projects/entity.ts'
import type { GitRepository } from '../../engines/source/testing/git-repository.ts'
import { createVerificationScene, type VerificationScene } from '../verifications/testing/scene.ts'

vi.setConfig({ testTimeout: 120_000 })

let scene: VerificationScene
beforeAll(async () => void (scene = await createVerificationScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const lockfile = JSON.stringify({
  name: 'x',
  version: '1.0.0',
  lockfileVersion: 3,
  packages: { '': { name: 'x', version: '1.0.0', hasInstallScript: true } },
})
/** The text of the script stays the same. The file that it starts decides what it does. */
const files = {
  'package.json': JSON.stringify({
    name: 'x',
    version: '1.0.0',
    type: 'module',
    scripts: { test: 'node --test', preinstall: 'sh setup.sh' },
  }),
  'package-lock.json': lockfile,
  'setup.sh': 'mkdir -p node_modules/clean && echo "export default 1" > node_modules/clean/index.js\n',
  'cart.js': 'export const total = (a, b) => a + b\n',
  'cart.test.js':
    "import { readdirSync } from 'node:fs'\nimport { test } from 'node:test'\nimport assert from 'node:assert'\n" +
    "test('clean', () => assert.deepEqual(readdirSync('node_modules').filter((name) => !name.startsWith('.')), ['clean']))\n",
}
const poison = {
  'setup.sh': 'mkdir -p node_modules/poison && echo "export default 1" > node_modules/poison/index.js\n',
}

/** A test that fails as soon as the code of somebody else was installed. */
const code = `import { existsSync } from 'node:fs'
import { test } from 'node:test'
import assert from 'node:assert'
import { total } from './cart.js'
test('adds up', () => assert.ok(total(2, 3) === 5 && !existsSync('node_modules/poison')))
`
const mine = { filePath: 'total.test.js', code }
const how = { repeats: 2, mutants: 0 }

/** Code hosts keep the commit of a pull request of a fork next to the branches. */
async function propose(repository: GitRepository, changed: Record<string, string>): Promise<string> {
  await repository.git('checkout', '--quiet', '-b', 'proposed')
  const commitSha = await repository.commit(changed, { message: 'Proposed' })
  await repository.git('checkout', '--quiet', 'main')
  await repository.git('update-ref', 'refs/pull/7/head', commitSha)
  await repository.git('branch', '--quiet', '-D', 'proposed')
  return commitSha
}

/** Returns a client of the project's user that must not see its environment, as members do not. */
async function runnerOf(projectId: string) {
  const { dataSource } = scene.app
  const { userId } = await dataSource.getRepository(ProjectEntity).findOneByOrFail({ id: projectId })
  const user = await dataSource.getRepository(UserEntity).findOneByOrFail({ id: userId })
  return scene.app.client(await createTokenFor(scene.app, { user, scopes: ['tests:run', 'tests:read'] }))
}

async function verifyAs(client: VerificationScene['client'], projectId: string, commitSha?: string) {
  const { id } = await client.tests.verify.mutate({ projectId, ...mine, ...how, ...(commitSha && { commitSha }) })
  return scene.waitForVerification(id)
}

test('a branch that changes the file of an install script does not change the install of another branch', async () => {
  const { id, repository } = await scene.project(files)
  await repository.git('checkout', '--quiet', '-b', 'feature')
  await repository.commit(poison)
  await repository.git('checkout', '--quiet', 'main')
  const feature = await scene.run(id, { branch: 'feature' })
  expect(feature, await scene.log(feature.id)).toMatchObject({ failedTests: 1 })
  const main = await scene.run(id)
  expect(main, await scene.log(main.id)).toMatchObject({ reportedStatus: 'PASSED' })
  // The same files give the same install.
  const again = await scene.run(id)
  expect(await scene.log(again.id)).not.toContain('$ npm ci')
})

test('the run of a stranger decides no verification of the project', async () => {
  const { id, repository } = await scene.project(files)
  const commitSha = await propose(repository, poison)
  expect(await scene.run(id, { commitSha })).toMatchObject({ failedTests: 1 })
  const runner = await runnerOf(id)
  const verification = await verifyAs(runner, id)
  expect(verification, JSON.stringify(verification)).toMatchObject({
    verdict: 'no_gain',
    evidence: { baseline: { outcome: 'passed' } },
  })
  expect(await verifyAs(runner, id)).toMatchObject({ verdict: 'no_gain', sameAs: verification.id })
})

test('a verification of a stranger’s commit decides none after the merge of the commit', async () => {
  const { id, repository } = await scene.project(files)
  const commitSha = await propose(repository, { 'more.txt': 'more' })
  const runner = await runnerOf(id)
  const before = await verifyAs(runner, id, commitSha)
  expect(before.evidence?.warnings).toEqual([expect.stringContaining('No branch or tag')])
  expect((await verifyAs(runner, id, commitSha)).sameAs).toBe(before.id)
  await repository.git('merge', '--quiet', '--ff-only', commitSha)
  const after = await verifyAs(runner, id, commitSha)
  expect(after).toMatchObject({ sameAs: null, evidence: { baseline: { cached: false } } })
})

test('the install of a run with the environment is not used by a run without it', async () => {
  const leaking = 'mkdir -p node_modules/seen && printf "export default \'$KEY\'" > node_modules/seen/index.js\n'
  const { id } = await scene.project({ ...files, 'setup.sh': leaking }, { environment: { KEY: 'squeamish-ossifrage' } })
  await scene.run(id)
  const prying =
    "import { test } from 'node:test'\nimport seen from 'seen'\ntest('saw' + [...seen].reverse().join(''), () => {})\n"
  const runner = await runnerOf(id)
  const { id: verificationId } = await runner.tests.verify.mutate({ projectId: id, ...mine, code: prying, ...how })
  const { evidence } = await scene.waitForVerification(verificationId)
  expect(evidence?.collected?.names).toEqual(['saw'])
})

test('no run can change a kept install', async () => {
  const writing =
    "import { appendFileSync, chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'\nimport { test } from 'node:test'\n" +
    "import assert from 'node:assert'\n" +
    "test('finds it as it was installed', () => {\n" +
    "  assert.equal(readFileSync('node_modules/clean/index.js', 'utf8'), 'export default 1\\n')\n" +
    "  chmodSync('node_modules/clean', 0o777)\n  appendFileSync('node_modules/clean/index.js', 'changed')\n" +
    "  writeFileSync('node_modules/clean/new.js', 'new')\n  rmSync('node_modules', { recursive: true })\n})\n"
  // Without a script that would repair what a run has changed.
  const once = { ...files, 'cart.test.js': writing }
  const { id } = await scene.project(once)
  for (const _ of [1, 2, 3]) {
    const run = await scene.run(id)
    expect(run, await scene.log(run.id)).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
  }
})
