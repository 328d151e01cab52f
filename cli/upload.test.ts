import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UploadedRun } from '../core/test-runs/uploads/schema.ts'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { createGitRepository, type GitRepository } from '../engines/source/testing/git-repository.ts'
import { assay, pageIn } from './testing/assay.ts'
import { startProxy } from './testing/proxy.ts'

let core: TestApp
let env: Record<string, string>
let userId: string
let checkout: GitRepository
let projectId: string
const opened = new AsyncDisposableStack()

beforeAll(async () => {
  core = opened.use(await createTestApp({ role: 'web' }))
  const user = await createUser(core)
  userId = user.id
  env = { SVC_BASE_URL: core.url, SVC_API_TOKEN: await createTokenFor(core, { user }) }
  checkout = opened.use(await createGitRepository({ 'src/cart.js': 'export const add = (a, b) => a + b\n' }))
  projectId = (await createProjectFor(core, { userId, repository: checkout.path })).id
})
afterAll(() => opened.disposeAsync())

const junit = (failing: boolean, name = 'adds up') =>
  `<testsuite name="cart"><testcase name="${name}" classname="cart" time="0.1">${failing ? '<failure message="119 is not 120"/>' : ''}</testcase></testsuite>`
const lcov = ['SF:src/cart.js', 'DA:1,1', 'LF:1', 'LH:1', 'end_of_record', ''].join('\n')

/** A folder with the files of a build. */
async function createBuild(files: Record<string, string | Buffer>): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'assay-cli-upload-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), content)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

const runOf = (stdout: string) => JSON.parse(stdout) as UploadedRun

const storedRun = async ({ runId }: UploadedRun) => {
  const client = core.client(env['SVC_API_TOKEN'])
  const files = await client.files.list.query({ projectId, runId })
  return { run: await client.testRuns.get.query({ runId }), names: files.map(({ name }) => name).toSorted() }
}

test('records the reports of a checkout for its commit, and a second upload changes nothing', async () => {
  await checkout.write({
    'out/junit-1.xml': junit(false),
    'out/junit-2.xml.gz': gzipSync(junit(true, 'takes VAT')),
    'out/lcov.info': lcov,
    'out/shots/a.png': 'x',
  })
  const words = ['upload', 'out/junit*', 'out/lcov.info', '--artifacts', 'out/shots/**', '--name', 'unit', '--json']
  const first = await assay(words, { env, cwd: checkout.path })
  expect(first).toMatchObject({ exitCode: 0, stderr: '' })
  const run = runOf(first.stdout)
  const url = `${core.url}/projects/${projectId}/runs/${run.runId}`
  expect(run).toMatchObject({ url, status: 'FAILED', totalTests: 2, failedTests: 1, coverage: 100 })
  const { run: stored, names } = await storedRun(run)
  const commitSha = await checkout.git('rev-parse', 'HEAD')
  expect(stored).toMatchObject({ branch: 'main', commitSha, name: 'unit', source: 'upload' })
  expect(names).toEqual([
    'artifacts/out/shots/a.png',
    'coverage/out/lcov.info',
    'reports/out/junit-1.xml',
    'reports/out/junit-2.xml.gz',
  ])
  const again = await assay(
    words.filter((word) => word !== '--json'),
    { env, cwd: checkout.path },
  )
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('already recorded') })
  expect(again.stdout).toContain(run.runId)
  expect(pageIn(again.stdout)).toBe(url)
  const [list, one] = await Promise.all([assay(['status', projectId], { env }), assay(['status', run.runId], { env })])
  expect(list.stdout.trimEnd().split('\t').at(-1)).toBe('100.0 % of 1 line in 1 file')
  expect(one.stdout).toContain('Coverage\t100.0 % of 1 line in 1 file\n')
})

test('removes the folder of --root from absolute paths of another machine', async () => {
  await using build = await createBuild({ 'lcov.info': lcov.replace('src/cart.js', '/builds/77/src/cart.js') })
  const commit = ['--branch', 'main', '--commit', 'd'.repeat(40), '--project', projectId, '--json']
  const upload = (...root: string[]) => assay(['upload', 'lcov.info', ...root, ...commit], { env, cwd: build.path })
  const wrong = runOf((await upload('--root', '/builds/78', '--shard-key', 'wrong')).stdout)
  expect(wrong).toMatchObject({ coverage: null, warnings: [expect.stringContaining('not in /builds/78')] })
  const right = runOf((await upload('--root', '/builds/77', '--shard-key', 'right')).stdout)
  expect(right).toMatchObject({ coverage: 100, warnings: [] })
})

test('an upload of coverage alone says that it has no tests, not that they passed', async () => {
  await using build = await createBuild({ 'lcov.info': lcov })
  const commit = ['--branch', 'main', '--commit', '9'.repeat(40), '--project', projectId]
  const { stdout } = await assay(['upload', 'lcov.info', ...commit], { env, cwd: build.path })
  expect(stdout).toMatch(/^UPLOADED {2}no tests {2}run \w+\nCoverage 100\.0 % of lines\nPage: http:\S+\n$/)
})

test('uses the branch and commit of the CI build, not the merge commit of the checkout', async () => {
  const head = 'a'.repeat(40)
  await using left = await createBuild({
    'junit.xml': junit(false),
    'event.json': JSON.stringify({ pull_request: { number: 7, head: { sha: head }, base: { ref: 'main' } } }),
  })
  const build = {
    GITHUB_ACTIONS: 'true',
    GITHUB_SHA: 'b'.repeat(40),
    GITHUB_HEAD_REF: 'feature/vat',
    GITHUB_REF_NAME: '7/merge',
    GITHUB_RUN_ID: '17',
    GITHUB_RUN_ATTEMPT: '2',
    GITHUB_EVENT_PATH: join(left.path, 'event.json'),
  }
  const words = ['upload', '--reports', 'junit.xml', '--shards', '--project', projectId, '--json']
  const first = await assay(words, { env: { ...env, ...build }, cwd: left.path })
  await writeFile(join(left.path, 'junit.xml'), junit(false, 'rounds'))
  const second = await assay(words, { env: { ...env, ...build }, cwd: left.path })
  expect([first.exitCode, second.exitCode]).toEqual([0, 0])
  expect(runOf(second.stdout)).toMatchObject({ runId: runOf(first.stdout).runId, totalTests: 2 })
  expect((await storedRun(runOf(second.stdout))).run).toMatchObject({ branch: 'feature/vat', commitSha: head })
})

test('sends results of a merge that Jenkins made for the head of the pull request', async () => {
  await using repository = await createGitRepository({ 'src/cart.js': 'one\n' })
  await repository.git('checkout', '-q', '-b', 'vat')
  const head = await repository.commit({ 'src/vat.js': 'one\n', 'junit.xml': junit(false) })
  await repository.git('checkout', '-q', 'main')
  await repository.commit({ 'src/cart.js': 'two\n' })
  // Jenkins merges the target into the head, and pushes the merge nowhere.
  await repository.git('checkout', '-q', '--detach', head)
  const jenkins = { GIT_COMMITTER_NAME: 'Jenkins', GIT_COMMITTER_EMAIL: 'nobody@nowhere' }
  const author = { GIT_AUTHOR_NAME: 'Jenkins', GIT_AUTHOR_EMAIL: 'nobody@nowhere' }
  execFileSync('git', ['merge', '-q', '--no-edit', 'main'], {
    cwd: repository.path,
    env: { ...process.env, ...jenkins, ...author },
  })
  const merge = await repository.git('rev-parse', 'HEAD')
  const build = {
    JENKINS_URL: 'https://ci.example.com/',
    BRANCH_NAME: 'PR-7',
    CHANGE_ID: '7',
    CHANGE_BRANCH: 'vat',
    CHANGE_TARGET: 'main',
    GIT_COMMIT: merge,
  }
  const words = ['upload', 'junit.xml', '--project', projectId, '--json']
  const { stdout } = await assay(words, { env: { ...env, ...build }, cwd: repository.path })
  const [run] = await core.dataSource.query<object[]>(
    'SELECT commit_sha, branch, pull_request, tested_sha FROM test_runs WHERE id = $1',
    [runOf(stdout).runId],
  )
  expect(run).toEqual({ commit_sha: head, branch: 'vat', pull_request: 7, tested_sha: merge })
})

test('names a broken or missing file, and records nothing', async () => {
  await using left = await createBuild({ 'good.xml': junit(false), 'broken.xml': '<testsuite><testcase></testsuite>' })
  const where = ['--project', projectId, '--branch', 'main', '--commit', 'c'.repeat(40)]
  const upload = (...words: string[]) => assay(['upload', ...words, ...where], { env, cwd: left.path })
  const [broken, missing, nothing] = await Promise.all([
    upload('good.xml', 'broken.xml'),
    upload('good.xml', 'coverage/*.info'),
    upload('--artifacts', 'good.xml'),
  ])
  expect(broken).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('broken.xml') })
  expect(missing).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('coverage/*.info') })
  expect(nothing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('at least one report') })
  const { runs } = await core.client(env['SVC_API_TOKEN']).testRuns.list.query({ projectId })
  expect(runs.filter(({ commitSha }) => commitSha === 'c'.repeat(40))).toEqual([])
})

test('requires branch and commit outside of a checkout and CI, and only warns of missing artifacts', async () => {
  await using left = await createBuild({ 'junit.xml': junit(false) })
  const words = ['upload', 'junit.xml', '--artifacts', 'shots/*.png', '--project', projectId]
  const bare = await assay(words, { env, cwd: left.path })
  expect(bare).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--branch and --commit') })
  const told = await assay([...words, '--branch', 'main', '--commit', 'd'.repeat(40)], { env, cwd: left.path })
  expect(told).toMatchObject({ exitCode: 0, stderr: 'No file matches shots/*.png (artifacts).\n' })
})

test('retries a broken connection, and reports a project of another tenant as not found', async () => {
  await using left = await createBuild({ 'junit.xml': junit(false) })
  let broken = 0
  await using flaky = await startProxy(core.url, (path) => path.startsWith('/api/ci/upload') && ++broken === 1)
  const words = ['upload', 'junit.xml', '--branch', 'main', '--commit', 'e'.repeat(40), '--project']
  const through = await assay([...words, projectId], { env: { ...env, SVC_BASE_URL: flaky.url }, cwd: left.path })
  expect(through.stderr).toBe('')
  expect(through).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 test: 1 passed') })
  const stranger = await createProjectFor(core)
  const foreign = await assay([...words, stranger.id], { env, cwd: left.path })
  expect(foreign).toMatchObject({ exitCode: 4, stdout: '' })
})
