import { afterAll, beforeAll, expect, test } from 'vitest'
import { ProjectEntity } from '../projects/entity.ts'
import { type GitHostBehaviour, startGitHost } from '../../engines/source/testing/git-host.ts'
import type { GitRepository } from '../../engines/source/testing/git-repository.ts'
import { TestRunEntity } from './entity.ts'
import { runQueue } from './queue.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene({ outboundAllowCidrs: ['127.0.0.0/8'] })
})
afterAll(() => scene[Symbol.asyncDispose]())

const secret = 'hunter2-hunter2'
/** As no mask knows it. */
const reversed = '2retnuh-2retnuh'
const warning =
  "No branch or tag of the repository contains the commit, so the tests ran without the project's environment."

/** Tests that show all that they can see of the project's environment, as it is and so that no mask finds it. */
const leaking = {
  'tests.sh':
    'echo "the key is [$API_KEY]"\necho "reversed: [$(printf %s "$API_KEY" | rev)]"\n' +
    'mkdir test-results\necho "$API_KEY" | rev > test-results/seen.txt\n' +
    'echo "<testsuite><testcase name=\\"leaks\\"><failure message=\\"[$(echo $API_KEY | rev)]\\"/></testcase></testsuite>" > junit.xml\n',
}
const settings = { testCommand: 'sh tests.sh', reportGlobs: ['junit.xml'], environment: { API_KEY: secret } }

/** What a stranger has proposed: hosts keep it beside the branches. */
async function propose(repository: GitRepository, files: Record<string, string>): Promise<string> {
  await repository.git('checkout', '--quiet', '-b', 'proposed')
  const commitSha = await repository.commit(files, { message: 'Proposed' })
  await repository.git('checkout', '--quiet', 'main')
  await repository.git('update-ref', 'refs/pull/7/head', commitSha)
  await repository.git('branch', '--quiet', '-D', 'proposed')
  return commitSha
}

async function everythingOf(runId: string): Promise<string> {
  const [run, log, { results }] = await Promise.all([
    scene.client.testRuns.get.query({ runId }),
    scene.log(runId),
    scene.client.testRuns.results.query({ runId }),
  ])
  const files = await scene.client.files.list.query({ projectId: run.projectId, runId })
  const contents = await Promise.all(
    files.map(async ({ path }) => (await scene.app.fetch(path, { token: scene.token })).text()),
  )
  expect(files.map(({ name }) => name)).toContain('artifacts/test-results/seen.txt')
  return JSON.stringify([run, log, results, files, contents])
}

const isTrusted = async (runId: string) => {
  const { withSecrets } = await scene.app.dataSource.getRepository(TestRunEntity).findOneByOrFail({ id: runId })
  const seen = (await scene.log(runId)).includes(`reversed: [${reversed}]`)
  expect(seen).toBe(withSecrets)
  return withSecrets
}

test('hides secrets from a commit of a fork that is triggered by its id, and from its reruns', async () => {
  const { id, repository } = await scene.project(leaking, settings)
  expect(await everythingOf((await scene.run(id)).id)).toContain(reversed)
  const commitSha = await propose(repository, { 'more.txt': 'more' })
  for (const asked of [{ commitSha }, { commitSha, branch: 'main' }]) {
    const run = await scene.run(id, asked)
    expect(run).toMatchObject({ reportedStatus: 'FAILED', totalTests: 1, warnings: [warning] })
    expect(await isTrusted(run.id)).toBe(false)
    expect(await scene.log(run.id)).toContain(warning)
    expect(await everythingOf(run.id)).not.toMatch(new RegExp(`${secret}|${reversed}`))
    const again = await scene.client.testRuns.rerunFailed.mutate({ runId: run.id })
    await scene.waitFor(again.id)
    expect(await isTrusted(again.id)).toBe(false)
  }
})

test('hides secrets from a commit of a fork that CI triggers', async () => {
  const { id, repository } = await scene.project(leaking, settings)
  const commitSha = await propose(repository, { 'more.txt': 'more' })
  const response = await scene.app.fetch(`/api/ci/trigger/${id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${scene.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ commitSha }),
  })
  const { runId } = (await response.json()) as { runId: string }
  expect(await scene.waitFor(runId)).toMatchObject({ warnings: [warning] })
  expect(await isTrusted(runId)).toBe(false)
})

const trustOf = async (projectId: string, asked: Parameters<RunScene['run']>[1]) =>
  isTrusted((await scene.run(projectId, asked)).id)

test('trusts every commit of a branch or tag', async () => {
  const { id, repository } = await scene.project(leaking, settings)
  const deep = await repository.git('rev-parse', 'HEAD')
  for (const name of ['a', 'b']) await repository.commit({ [name]: name })
  const tip = await repository.git('rev-parse', 'HEAD')
  await repository.git('checkout', '--quiet', '--detach')
  const tagged = await repository.commit({ c: 'c' })
  await repository.git('tag', '--annotate', '--message=One', 'v1')
  await repository.git('checkout', '--quiet', 'main')
  for (const commitSha of [deep, tip, tagged]) expect(await trustOf(id, { commitSha })).toBe(true)
  expect(await trustOf(id, { branch: 'v1' })).toBe(true)
})

/** The project's repository, as a host serves it over http. */
async function serve(id: string, repository: GitRepository, behaviour: GitHostBehaviour = {}) {
  await repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  const host = await startGitHost({ app: repository.path }, behaviour)
  await scene.app.dataSource.getRepository(ProjectEntity).update({ id }, { repository: `${host.url}/app` })
  return host
}

test.each([true, false])('trusts such commits over HTTP, with partial clones: %s', async (filters) => {
  const { id, repository } = await scene.project(leaking, settings)
  const deep = await repository.git('rev-parse', 'HEAD')
  for (const name of ['a', 'b']) await repository.commit({ [name]: name })
  const commitSha = await propose(repository, { 'more.txt': 'more' })
  await using _host = await serve(id, repository, { filters })
  expect(await trustOf(id, { branch: 'main' })).toBe(true)
  expect(await trustOf(id, { commitSha: deep })).toBe(true)
  const stranger = await scene.run(id, { commitSha })
  expect(stranger.warnings).toEqual([warning])
  expect(await isTrusted(stranger.id)).toBe(false)
})

test('runs without secrets and says why if the server cannot check the branches', async () => {
  const { id, repository } = await scene.project(leaking, settings)
  const deep = await repository.git('rev-parse', 'HEAD')
  await repository.commit({ a: 'a' })
  const asked = () => host.requests.filter((request) => request.startsWith('GET')).length
  await using host = await serve(id, repository, {
    // To look the commit up and to fetch it takes one each.
    get status() {
      return asked() > 2 ? 503 : undefined
    },
  })
  const run = await scene.run(id, { commitSha: deep })
  expect(run).toMatchObject({ reportedStatus: 'FAILED', totalTests: 1, error: null })
  expect(run.warnings).toEqual([
    expect.stringMatching(
      /^Assay could not check .* without the project's environment\. 127\.0\.0\.1 answered with status 503/,
    ),
  ])
  expect(await isTrusted(run.id)).toBe(false)
})

test('never uses installs of forks for runs of the repository', async () => {
  const manifest = (preinstall: string) =>
    JSON.stringify({ name: 'x', version: '1.0.0', scripts: { test: 'node --test', preinstall } })
  const poison = 'mkdir -p node_modules/poison && echo > node_modules/poison/index.js\n'
  const { id, repository } = await scene.project({
    'package.json': manifest('sh setup.sh'),
    'package-lock.json': JSON.stringify({
      name: 'x',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: { '': { name: 'x', version: '1.0.0', hasInstallScript: true } },
    }),
    'setup.sh': 'mkdir -p node_modules/clean\n',
    'a.test.js':
      "const { readdirSync } = require('node:fs')\n" +
      "require('node:test')('clean', () => require('node:assert').deepEqual(readdirSync('node_modules')" +
      ".filter((name) => !name.startsWith('.')), ['clean']))\n",
  })
  // Neither the lockfile nor a line of a manifest tells it from main.
  const commitSha = await propose(repository, { 'setup.sh': poison })
  expect(await scene.run(id, { commitSha })).toMatchObject({
    failedTests: 1,
    warnings: expect.arrayContaining([warning]),
  })
  const first = await scene.run(id)
  expect(first, await scene.log(first.id)).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
  expect(await scene.log(first.id)).toContain('$ npm ci')

  await repository.git('checkout', '--quiet', '-b', 'feature')
  await repository.commit({ 'package.json': manifest(poison.trim()) })
  const feature = await scene.run(id, { branch: 'feature' })
  expect(feature).toMatchObject({ failedTests: 1, warnings: expect.not.arrayContaining([warning]) })
  const second = await scene.run(id)
  expect(second).toMatchObject({ reportedStatus: 'PASSED' })
  expect(await scene.log(second.id)).not.toContain('$ npm ci')
  // A stranger's code may use what the project installed.
  const again = await scene.run(id, { commitSha })
  expect(await scene.log(again.id)).not.toContain('$ npm ci')
})

/** Returns whether the run of main passes and uses no install of the branch, which runs first. */
async function runsAlone(files: Record<string, string>, onBranch: Record<string, string>, settings = {}) {
  const { id, repository } = await scene.project(files, settings)
  await repository.git('checkout', '--quiet', '-b', 'feature')
  await repository.commit(onBranch)
  await repository.git('checkout', '--quiet', 'main')
  const feature = await scene.run(id, { branch: 'feature' })
  expect(feature, await scene.log(feature.id)).toMatchObject({ reportedStatus: 'FAILED' })
  const main = await scene.run(id)
  expect(main, await scene.log(main.id)).toMatchObject({ reportedStatus: 'PASSED', failedTests: 0 })
  const again = await scene.run(id)
  expect(again).toMatchObject({ reportedStatus: 'PASSED' })
  return { main: await scene.log(main.id), again: await scene.log(again.id) }
}

const skipped = '# Skipped, because an earlier run installed the same'
const lockOf = (name: string, entry: object = {}) =>
  JSON.stringify({ name, version: '1.0.0', lockfileVersion: 3, packages: { '': { name, version: '1.0.0', ...entry } } })

test('does not use an install again that followed an install script of another commit', async () => {
  const manifest = (scripts: object) =>
    JSON.stringify({ name: 'x', version: '1.0.0', scripts: { test: 'node --test', ...scripts } })
  const backend = `import glob, os, zipfile
def get_requires_for_build_wheel(config=None):
    return []
def build_wheel(directory, config=None, metadata=None):
    for packages in glob.glob('/assay/deps/venv/lib/python*/site-packages'):
        open(packages + '/poison.py', 'w').close()
    name = 'pk-1-py3-none-any.whl'
    with zipfile.ZipFile(os.path.join(directory, name), 'w') as wheel:
        wheel.writestr('pk-1.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: pk\\nVersion: 1\\n')
        wheel.writestr('pk-1.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr('pk-1.dist-info/RECORD', '')
    return name
`
  const logs = await runsAlone(
    {
      'package.json': manifest({}),
      'package-lock.json': lockOf('x'),
      'a.test.js': "require('node:test')('a', () => {})\n",
      'requirements.txt': 'pip\n',
      'test_main.py':
        'import importlib.util, unittest\nclass Main(unittest.TestCase):\n' +
        "    def test_clean(self):\n        self.assertIsNone(importlib.util.find_spec('poison'))\n",
    },
    {
      'package.json': manifest({ postinstall: 'sh evil.sh' }),
      // In the commit, requirements.txt is as on main.
      'evil.sh': 'printf "pip\\n./evil\\n" > requirements.txt\n',
      'evil/pyproject.toml':
        '[project]\nname = "pk"\nversion = "1"\n[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
      'evil/backend.py': backend,
    },
  )
  expect(logs.main).not.toContain(skipped)
  expect(logs.again.split(skipped)).toHaveLength(3)
})

test('does not use an install in a folder again that a manifest above it has changed', async () => {
  const logs = await runsAlone(
    {
      'README.md': 'x',
      'pkgs/a/package.json': JSON.stringify({ name: 'a', version: '1.0.0', scripts: { test: 'node --test' } }),
      'pkgs/a/package-lock.json': lockOf('a'),
      'pkgs/a/a.test.js':
        "require('node:test')('clean', () => require('node:assert').throws(() => require('poison')))\n",
    },
    {
      'package.json': JSON.stringify({
        name: 'root',
        version: '1.0.0',
        workspaces: ['pkgs/a'],
        scripts: { postinstall: 'mkdir -p pkgs/a/node_modules/poison && echo > pkgs/a/node_modules/poison/index.js' },
      }),
      'package-lock.json': JSON.stringify({
        name: 'root',
        version: '1.0.0',
        lockfileVersion: 3,
        packages: {
          '': { name: 'root', version: '1.0.0', workspaces: ['pkgs/a'], hasInstallScript: true },
          'node_modules/a': { resolved: 'pkgs/a', link: true },
          'pkgs/a': { version: '1.0.0' },
        },
      }),
    },
    { workingDirectory: 'pkgs/a' },
  )
  expect(logs.main).not.toContain(skipped)
  expect(logs.again).toContain(skipped)
})

test('uses the install of a package without scripts again for other commits', async () => {
  const { id, repository } = await scene.project({
    'package.json': JSON.stringify({ name: 'x', version: '1.0.0', scripts: { test: 'node --test' } }),
    'package-lock.json': lockOf('x'),
    '.nvmrc': 'lts/*\n',
    'a.test.js': "require('node:test')('a', () => {})\n",
  })
  await scene.run(id)
  await repository.commit({ 'README.md': 'more' })
  const run = await scene.run(id)
  expect(run).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
  expect(await scene.log(run.id)).toContain(`${skipped} .nvmrc, package-lock.json, package.json: npm ci`)
})

test('keeps the trust decision of an interrupted attempt', async () => {
  const { id, repository } = await scene.project(leaking, settings)
  const commitSha = await propose(repository, { 'more.txt': 'more' })
  const { id: runId } = await scene.run(id, { commitSha })
  const { dataSource, services } = scene.app
  await dataSource.getRepository(TestRunEntity).update({ id: runId }, { status: 'RUNNING', completedAt: null })
  await services.jobs.enqueue(dataSource.manager, runQueue, { runId }, { group: 'again' })
  expect(await scene.waitFor(runId)).toMatchObject({ totalTests: 1, warnings: [warning] })
  expect(await isTrusted(runId)).toBe(false)
})

test('does not count a run of a stranger as an earlier run of the branch that the caller named', async () => {
  const script = (verdict: string) =>
    `echo '<testsuite><testcase name="a">${verdict}</testcase></testsuite>' > junit.xml\n`
  const failing = script('<failure message="no"/>')
  const { id, repository } = await scene.project(
    { 'tests.sh': script('') },
    { testCommand: 'sh tests.sh', reportGlobs: ['junit.xml'] },
  )
  await scene.run(id)
  const commitSha = await propose(repository, { 'tests.sh': failing })
  const stranger = await scene.run(id, { commitSha, branch: 'main' })
  expect(stranger).toMatchObject({ failedTests: 1, warnings: [warning] })
  await repository.commit({ 'tests.sh': failing })
  const run = await scene.run(id)
  const { failures, groups } = (await scene.client.testRuns.failures.query({ runId: run.id })) as Record<
    string,
    unknown
  >
  expect(JSON.stringify([failures, groups])).toContain('"kind":"new"')
})
