import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestApp, runSettings, type TestApp } from '../../core/testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../../core/testing/factories.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'

/** Core with an executor, and a user with projects. */
export interface RunScene extends AsyncDisposable {
  core: TestApp
  /** The environment in which `assay` acts for that user. */
  env: Record<string, string>
  /** A project whose only tests are in this file. */
  project(testFile: string): Promise<{ id: string; repository: GitRepository }>
  /** A project whose test prints three lines, waits for `release`, and prints three more. */
  waitingProject(): Promise<{ id: string; release: () => Promise<void> }>
}

const manifest = JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } })

export const passing = "import { test } from 'node:test'\ntest('adds up', () => {})\n"

/** Its second test fails in line 5. */
export const failing = [
  "import assert from 'node:assert/strict'",
  "import { test } from 'node:test'",
  "test('adds up', () => {})",
  "test('takes VAT', () => {",
  '  assert.equal(119, 120)',
  '})',
  '',
].join('\n')

const waitingFor = (gate: string) =>
  [
    "import { existsSync } from 'node:fs'",
    "import { test } from 'node:test'",
    "import { setTimeout } from 'node:timers/promises'",
    "test('waits', async () => {",
    '  for (let line = 1; line <= 3; line++) console.log(`waiting, line ${line}`)',
    `  while (!existsSync(${JSON.stringify(gate)})) await setTimeout(50)`,
    '  for (let line = 4; line <= 6; line++) console.log(`going on, line ${line}`)',
    '})',
    '',
  ].join('\n')

export const waitingLines = ['waiting, line 1', 'waiting, line 2', 'waiting, line 3']
export const allLines = [...waitingLines, 'going on, line 4', 'going on, line 5', 'going on, line 6']
/** Returns those lines of the output. */
export const linesIn = (text: string) =>
  text.split('\n').flatMap((line) => /(?:waiting|going on), line \d/.exec(line) ?? [])

export async function createRunScene(): Promise<RunScene> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'assay-cli-run-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const runs = { ...runSettings, executor: 'local' as const, runConcurrency: 3, runsPerOwner: 3 }
  const core = opened.use(await createTestApp({ runs }))
  const user = await createUser(core)
  const token = await createTokenFor(core, { user })
  const repositories = opened.use(new AsyncDisposableStack())
  const stack = opened.move()
  const scene: RunScene = {
    core,
    env: { SVC_BASE_URL: core.url, SVC_API_TOKEN: token },
    async project(testFile) {
      const files = { 'package.json': manifest, 'test/cart.test.js': testFile }
      const repository = repositories.use(await createGitRepository(files))
      const { id } = await createProjectFor(core, { user, repository: repository.path })
      return { id, repository }
    },
    async waitingProject() {
      const gate = join(folder, randomUUID())
      return { id: (await scene.project(waitingFor(gate))).id, release: () => writeFile(gate, '') }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
  return scene
}

/** Returns the id of the run that the program reports. */
export const runIn = (text: string) => /^Run ([0-9A-Z]{26})/m.exec(text)?.[1] ?? ''
