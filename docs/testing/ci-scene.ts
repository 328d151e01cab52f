import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createGateScene } from '../../core/gate/testing.ts'
import type { GatePolicyChange } from '../../core/gate-policy/schema.ts'
import type { Files } from '../../engines/source/testing/git-repository.ts'
import packageInfo from '../../package.json' with { type: 'json' }
import { type Job, runJob, type Step } from './steps.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

/** A build that a CI service starts for a push or a pull request. */
export interface Build {
  branch: string
  head: string
  /** The head or, for a pull request, a merge of it with `main`. */
  checkedOut: string
  pullRequest: number | undefined
}

export type Environment = Record<string, string>

export interface StoredRun {
  branch: string
  pull_request: number | null
  tested_sha: string | null
  name: string | null
  total_tests: number
  failed_tests: number
}

/** A server of Assay, a repository with tests, and what CI services know about both. */
export interface CiScene extends AsyncDisposable {
  /** The four variables that users define. */
  variables: { SVC_BASE_URL: string; SVC_API_TOKEN: string; ASSAY_PROJECT: string; ASSAY_PACKAGE: string }
  policy(change: GatePolicyChange): Promise<unknown>
  /** Commits files to a new branch, which is behind `main`. */
  push(files: Files): Promise<Build>
  /** Opens a pull request for a new branch. */
  openPullRequest(files: Files, options?: { testsMerge?: boolean }): Promise<Build>
  /** Runs the steps of a job in a shallow checkout of the build, with nothing of this machine in its environment. */
  run(
    steps: readonly Step[],
    build: Build,
    environment: (folder: string) => Environment | Promise<Environment>,
  ): Promise<Job>
  runs(build: Build): Promise<StoredRun[]>
  gates(
    build: Build,
  ): Promise<{ headSha: string | null; pullRequest: number | null; conclusion: string; url: string }[]>
}

const cart = 'export function add(a, b) {\n  return a + b\n}\n'

/** A program that the commits change. Its tests write the reports that the recipes upload. */
export const shop = (testCommand: string): Files => ({
  'package.json': JSON.stringify({ name: 'shop', version: '1.0.0', type: 'module', scripts: { test: testCommand } }),
  'package-lock.json': JSON.stringify({
    name: 'shop',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { name: 'shop', version: '1.0.0' } },
  }),
  '.gitignore': 'node_modules\njunit.xml\ncoverage\n',
  'src/cart.js': cart,
  'test/cart.test.js': [
    "import assert from 'node:assert/strict'",
    "import test from 'node:test'",
    "import { add } from '../src/cart.js'",
    "test('adds', () => assert.equal(add(1, 2), 3))",
    '',
  ].join('\n'),
})

const twice = `${cart}\nexport function twice(n) {\n  return 2 * n\n}\n`
const testOf = (result: number) =>
  [
    "import assert from 'node:assert/strict'",
    "import test from 'node:test'",
    "import { add, twice } from '../src/cart.js'",
    "test('adds', () => assert.equal(add(1, 2), 3))",
    `test('doubles', () => assert.equal(twice(2), ${result}))`,
    '',
  ].join('\n')

/** A change whose tests pass and cover it, one whose test fails, and one that no test covers. */
export const changes = {
  tested: { 'src/cart.js': twice, 'test/cart.test.js': testOf(4) },
  failing: { 'src/cart.js': twice, 'test/cart.test.js': testOf(5) },
  untested: { 'src/cart.js': twice },
} satisfies Record<string, Files>

export async function createCiScene(files: Files): Promise<CiScene> {
  await using opened = new AsyncDisposableStack()
  const scene = opened.use(await createGateScene())
  await scene.newProject(files)
  const { repository, app } = scene
  await repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  await repository.git('tag', 'start')
  await repository.git('checkout', '-q', 'main')
  await repository.commit({ 'src/cart.js': `// Sums.\n\n${cart}` })
  const folder = await mkdtemp(join(tmpdir(), 'assay-ci-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const packages = opened.use(await servePackage(folder))
  const stack = opened.move()
  let builds = 0
  let jobs = 0
  /** The builds share a working tree. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work)
    last = next
    return next
  }
  const push = (changed: Files) =>
    inTurn(async (): Promise<Build> => {
      const branch = `fix/${++builds}`
      await repository.git('checkout', '-q', '-b', branch, 'start')
      // Each build has its own commit.
      const head = await repository.commit({ ...changed, 'build.txt': branch })
      return { branch, head, checkedOut: head, pullRequest: undefined }
    })
  return {
    variables: {
      SVC_BASE_URL: app.url,
      SVC_API_TOKEN: scene.token,
      ASSAY_PROJECT: scene.projectId,
      ASSAY_PACKAGE: packages.url,
    },
    policy: (change) => scene.policy(change),
    push,
    async openPullRequest(changed, { testsMerge = false } = {}) {
      const build = await push(changed)
      return inTurn(async () => {
        const pullRequest = builds
        await repository.git('update-ref', `refs/pull/${pullRequest}/head`, build.head)
        await repository.git('checkout', '-q', '--detach', 'main')
        await repository.git('merge', '-q', '--no-ff', '--no-edit', build.head)
        const merge = await repository.git('rev-parse', 'HEAD')
        await repository.git('update-ref', `refs/pull/${pullRequest}/merge`, merge)
        return { ...build, pullRequest, checkedOut: testsMerge ? merge : build.head }
      })
    },
    async run(steps, build, environment) {
      const own = join(folder, `job-${++jobs}`)
      const cwd = join(own, 'checkout')
      await mkdir(cwd, { recursive: true })
      const git = (...words: string[]) => run('git', ['-c', 'protocol.file.allow=always', ...words], { cwd })
      await git('init', '-q')
      await git('fetch', '-q', '--depth=1', `file://${repository.path}`, build.checkedOut)
      await git('checkout', '-q', 'FETCH_HEAD')
      const env = {
        PATH: [join(own, 'global/bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
        HOME: own,
        npm_config_prefix: join(own, 'global'),
        npm_config_cache: join(own, 'cache'),
        npm_config_update_notifier: 'false',
        npm_config_audit: 'false',
        npm_config_fund: 'false',
        // Nothing comes from the public registry.
        npm_config_registry: packages.registry,
        ...(await environment(own)),
      }
      return runJob(steps, { cwd, env, folder: own })
    },
    runs: ({ head }) =>
      app.dataSource.query<StoredRun[]>(
        `SELECT branch, pull_request, tested_sha, name, total_tests, failed_tests FROM test_runs
          WHERE project_id = $1 AND commit_sha = $2 ORDER BY id`,
        [scene.projectId, head],
      ),
    async gates({ head }) {
      const { gates } = await scene.client.gate.list.query({ projectId: scene.projectId, limit: 100 })
      return gates.filter(({ headSha }) => headSha === head)
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/**
 * Serves a package whose program is the command line of this checkout. `packaging/try.ts` installs the real one, whose
 * dependencies come from the public registry.
 */
async function servePackage(folder: string): Promise<AsyncDisposable & { url: string; registry: string }> {
  const source = join(folder, 'package')
  const { name, version } = packageInfo
  await mkdir(source)
  const manifest = { name, version, type: 'module', bin: { assay: 'assay.js' } }
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest))
  const start = `#!/usr/bin/env node\nawait import(${JSON.stringify(join(root, 'cli/start.mjs'))})\n`
  await writeFile(join(source, 'assay.js'), start, { mode: 0o755 })
  const file = `${name}-${version}.tgz`
  await run('tar', ['-czf', join(folder, file), '-C', folder, 'package'])
  const tarball = await readFile(join(folder, file))
  const server = createServer(({ url }, response) => {
    response.statusCode = url === `/${file}` ? 200 : 404
    response.end(url === `/${file}` ? tarball : 'not found')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url: `${registry}${file}`,
    registry,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
