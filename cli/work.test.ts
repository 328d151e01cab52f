import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createFolder, createRepository, shopFiles, type TestRepository } from '../client/testing/repository.ts'
import { startAi } from '../core/testing/ai-service.ts'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import { pageAt } from '../core/testing/dashboard-pages.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { assay, pageIn, startAssay, type Typed } from './testing/assay.ts'
import { completionsOf } from './testing/complete.ts'

const files = {
  ...shopFiles,
  'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
  'test/name.test.ts':
    'import assert from "node:assert"\nimport test from "node:test"\nimport { name } from "../src/name.ts"\n' +
    'test("German", () => assert.strictEqual(name("de"), "Laden"))\n',
}

// Verifications and analyses take long on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

const opened = new AsyncDisposableStack()
let core: TestApp
let repository: TestRepository
let data: AsyncDisposable & { path: string }
let user: Awaited<ReturnType<typeof createUser>>
let env: Record<string, string>
let projectId: string

/** Runs a command in the checkout, as its owner. */
const type = (words: string[], typed: Typed = {}) => assay(words, { cwd: repository.path, env, ...typed })

beforeAll(async () => {
  const ai = opened.use(await startAi())
  core = opened.use(await createTestApp({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } }))
  repository = opened.use(await createRepository(files))
  data = opened.use(await createFolder())
  user = await createUser(core)
  env = { SVC_BASE_URL: core.url, SVC_API_TOKEN: await createTokenFor(core, { user }), DATA_DIR: data.path }
})

afterAll(() => opened.disposeAsync())

test('suggests tests for a checkout without a project at once: the server reads it, so it becomes one', async () => {
  const [analysis, suggestion] = await Promise.all([
    assay(['analyze', '--json', '--limit', '1'], { cwd: join(repository.path, 'src'), env: { DATA_DIR: data.path } }),
    type(['suggest', '.']),
  ])
  expect(analysis).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(analysis.stdout)).toMatchObject({
    path: repository.path,
    candidates: [{ path: 'src/price.ts', symbol: 'price' }],
    pagination: { total: 2, limit: 1, offset: 0 },
  })
  expect(suggestion, suggestion.stderr).toMatchObject({ exitCode: 0 })
  expect(suggestion.stdout).toContain('src/price.ts')
  const [, id = ''] = /Added this checkout as the project [^:]+: (\w+)/.exec(suggestion.stderr) ?? []
  const [project] = await core.client(env['SVC_API_TOKEN'] ?? '').projects.getProjects.query()
  expect(project).toMatchObject({ id, repository: repository.path })
  projectId = id
})

test('suggests tests for the files on disk, committed or not', async () => {
  await repository.write({
    'src/discount.ts':
      'export function discount(total: number, code: string): number {\n  if (code === "half") return total / 2\n' +
      '  if (code === "ten" && total > 50) return total - 10\n  return total\n}\n',
  })
  const suggested = await type(['suggest', '--json'])
  expect(suggested.exitCode).toBe(0)
  expect(suggested.stderr).toMatch(/^Sent a snapshot of this checkout: 1 changed file on \w{7} \(1 kB\)\.\n/)
  const { path, suggestions, ...sent } = JSON.parse(suggested.stdout) as {
    path: string
    suggestions: { file_path: string; example_code: string }[]
  }
  expect(sent).toMatchObject({ snapshotId: expect.any(String), leftOut: [] })
  expect(path).toBe(repository.path)
  expect(suggestions.map(({ file_path }) => file_path)).toContain('src/discount.ts')
  // The server has the code, so it writes examples.
  expect(suggestions.find(({ file_path }) => file_path === 'src/discount.ts')?.example_code).toContain('discount')
  const generated = await type(['generate', 'src/discount.ts', '--symbol', 'discount', '--json'])
  expect(generated.stderr).toMatch(/^The server has a snapshot of this checkout already: 1 changed file on /)
  expect(JSON.parse(generated.stdout)).toMatchObject({ tests: [{ code: expect.stringContaining('discount') }] })
  const plain = await type(['suggest', '.', '--max', '1', '--code'])
  expect(plain.stdout).toMatch(/^1\. src\/\w+\.ts:\d+-\d+ \w+ {2}unit(?: {2}\w{26})?$/m)
  expect(plain.stdout).toContain('import ')
  const committed = await type(['suggest', '--head', '--json'])
  expect(committed).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('snapshot') })
  expect(committed.stdout).not.toContain('discount')
  const ofBranch = await type(['generate', 'src/discount.ts', '--branch', 'main'])
  expect(ofBranch).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('is not a file of the analyzed commit'),
  })
})

test('a run measures what the suggestions for a checkout are about', async () => {
  await using measured = await createRepository(files)
  const inside = { cwd: measured.path }
  const before = await type(['suggest', '.'], inside)
  expect(before.stdout, before.stderr).toContain(
    'Coverage is estimated, because no run has measured it. Add `--measure` to run the tests and measure it.',
  )
  expect(before.stdout).toContain('src/name.ts')
  expect(await type(['run'], inside)).toMatchObject({ exitCode: 0 })

  const after = await type(['suggest', '.', '--detail'], inside)
  expect(after.stdout, after.stderr).toContain('Coverage was measured at this commit.')
  expect(after.stdout).toContain('tests run all of its lines, but not every branch of line 3')

  // What has changed is not known, and the other lines keep what was measured.
  await measured.write({ 'src/name.ts': '// changed\n' })
  const changed = await type(['suggest', '.'], inside)
  expect(changed.stdout, changed.stderr).toContain('Coverage was measured 1 commit earlier, at ')
  expect(await type(['projects', 'remove', '.', '--yes'], inside)).toMatchObject({ exitCode: 0 })
})

test('suggests tests for a checkout that the server may not read from the analysis on this machine', async () => {
  await using elsewhere = await createRepository(files)
  const owner = await createUser(core)
  const { id } = await createProjectFor(core, { user: owner })
  const confined = {
    cwd: elsewhere.path,
    env: { ...env, SVC_API_TOKEN: await createTokenFor(core, { user: owner, projectId: id }) },
  }
  const suggested = await type(['suggest', '.', '--max', '1'], confined)
  expect(suggested, suggested.stderr).toMatchObject({ exitCode: 0 })
  expect(suggested.stdout).toMatch(/1\. src\/price\.ts:\d/)
  expect(suggested.stdout).toMatch(/L\d+ returns/)
  expect(suggested.stderr).toContain(`assay projects add ${elsewhere.path}`)
  expect(suggested.stderr).not.toContain('assay generate')
  const json = await type(['suggest', '--json'], confined)
  expect(JSON.parse(json.stdout)).toMatchObject({ projectId: null, path: elsewhere.path })
  const measured = await type(['suggest', '.', '--measure'], confined)
  expect(measured).toMatchObject({ stdout: '', stderr: expect.stringContaining('assay projects add') })
  expect(measured.exitCode).not.toBe(0)
})

test('reports a missing scope before the analysis', async () => {
  await using cache = await createFolder()
  const token = await createTokenFor(core, { user, scopes: ['projects:read', 'profile:read'] })
  const refused = await type(['suggest', '.'], { env: { ...env, SVC_API_TOKEN: token, DATA_DIR: cache.path } })
  expect(refused).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringContaining('analysis:run') })
  expect(await readdir(cache.path)).toEqual([])
})

test('analyzes a project before it generates the first tests for it', async () => {
  const { id } = await createProjectFor(core, { user, repository: repository.path })
  const written = await type(['generate', 'src/price.ts', '--symbol', 'price', '--project', id, '--json'])
  expect(written).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(written.stdout)).toMatchObject({ tests: [{ code: expect.any(String) }] })
  const unknown = await type(['generate', '--suggestion', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '--project', id])
  expect(unknown).toMatchObject({ exitCode: 4, stdout: '' })
  expect(await type(['projects', 'remove', id, '--yes'])).toMatchObject({ exitCode: 0 })
})

test('follows an analysis of the project to its end, and its suggestions have ids', async () => {
  const analysis = await type(['analyze', '--project', '.', '--json'])
  const { id, status, candidates } = JSON.parse(analysis.stdout) as Record<string, unknown>
  expect([status, candidates]).toMatchObject(['completed', [{ symbol: 'price' }, { symbol: 'name' }]])
  const again = await type(['analyze', '--id', String(id), '--limit', '1', '--offset', '1'])
  expect(again.stdout).toMatch(/^src\/name\.ts:1-4\tname\t/)
  // Programs read rows from the pipe.
  expect(again.stdout).not.toContain('Page')
  expect(pageIn(again.stderr)).toBe(`${core.url}/projects/${projectId}/suggestions`)
  const suggested = await type(['suggest', projectId, '--json'])
  expect(JSON.parse(suggested.stdout)).toMatchObject({
    path: null,
    behind: 0,
    suggestions: [{ id: expect.any(String) }, { id: expect.any(String) }],
  })
  const { commitSha } = JSON.parse(suggested.stdout) as { commitSha: string }
  await repository.git('commit', '--quiet', '--allow-empty', '--message', 'Nothing')
  const older = await type(['suggest', projectId])
  expect(pageIn(older.stdout)).toBe(`${core.url}/projects/${projectId}/suggestions?tab=suggestions`)
  expect(older.stdout).toContain(
    `From the analysis of ${commitSha.slice(0, 10)}, just now, 1 commit behind this checkout. Run \`assay analyze ${projectId}\``,
  )
  await using elsewhere = await createFolder()
  const unseen = await type(['suggest', projectId, '--json'], { cwd: elsewhere.path })
  expect(JSON.parse(unseen.stdout)).toMatchObject({ behind: null })
})

test('prints generated tests, or writes them without overwriting a file', async () => {
  const printed = await type(['generate', 'src/price.ts', '--symbol', 'price', '--json'])
  const { tests, written } = JSON.parse(printed.stdout) as {
    tests: { url: string; filePath: string; code: string }[]
    written: []
  }
  expect(written).toEqual([])
  const { url = '', filePath = '', code } = tests[0] ?? {}
  expect(await pageAt(url, core.url)).toBe('/projects/$projectId/generated-tests/$generatedTestId')
  const first = await type(['generate', 'price.ts', '--symbol', 'price', '--write', '--json'], {
    cwd: join(repository.path, 'src'),
  })
  expect(JSON.parse(first.stdout)).toMatchObject({ written: [join('..', filePath)] })
  expect(await readFile(join(repository.path, filePath), 'utf8')).toBe(code)
  const committed = ['--project', projectId]
  const second = await type(['generate', 'src/price.ts', '--symbol', 'price', '--write', ...committed])
  expect(second).toMatchObject({ exitCode: 2 })
  expect(second.stderr).toContain('--force')
  const third = await type(['generate', 'src/price.ts', '--symbol', 'price', '--write', '--force', ...committed])
  expect(third.stdout).toMatch(new RegExp(`^Wrote ${filePath.replaceAll('.', '\\.')} `, 'm'))
  expect(await pageAt(pageIn(third.stdout), core.url)).toBe('/projects/$projectId/generated-tests/$generatedTestId')

  const suggested = await type(['suggest', projectId])
  expect(suggested.stderr).toContain(
    'To generate a test anyway, name its target in `assay generate FILE --symbol NAME`.',
  )
})

test('verifies a test of the working tree, and the exit code is the verdict', async () => {
  await repository.write({
    'test/price.test.ts': [
      'import assert from "node:assert"',
      'import test from "node:test"',
      'import { price } from "../src/price.ts"',
      'test("adds up, with tax and delivery", () => {',
      '  assert.strictEqual(price([{ cost: 10, count: 2 }], "US"), 25)',
      '  assert.strictEqual(price([{ cost: 100, count: 1 }], "US"), 105)',
      '  assert.strictEqual(price([{ cost: 100, count: 1 }], "FR"), 120)',
      '  assert.throws(() => price([{ cost: -1, count: 1 }], "US"), /negative/)',
      '})',
      '',
    ].join('\n'),
    'test/empty.test.ts': 'import test from "node:test"\ntest("says nothing", () => {})\n',
  })
  const how = ['--repeats', '2', '--mutants', '4']
  const good = await type(['verify', 'price.test.ts', ...how, '--json'], { cwd: join(repository.path, 'test') })
  expect(JSON.parse(good.stdout)).toMatchObject({ verdict: 'accepted', filePath: 'test/price.test.ts', projectId })
  expect(good).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(
      /^Sent a snapshot of .*\nWaiting for verification [0-9A-Z]{26} of test\/price\.test\.ts\n$/,
    ),
  })
  const empty = await type(['verify', 'test/empty.test.ts', ...how])
  expect(empty).toMatchObject({ exitCode: 1 })
  // The log of a CI job shows progress.
  expect(empty.stderr).toMatch(/^Waiting for verification [0-9A-Z]{26} of test\/empty\.test\.ts\n/m)
  expect(empty.stdout).toMatch(/^no_gain {2}test\/empty\.test\.ts {2}/)
  expect(empty.stdout).toContain('\nNext  ')
  expect(await pageAt(pageIn(empty.stdout), core.url)).toBe('/projects/$projectId/verifications/$verificationId')
})

test('shows a repeated failure once, and code that is not committed first', async () => {
  const head = 'import assert from "node:assert"\nimport test from "node:test"\n'
  await repository.write({
    'src/late.ts': 'export const late = true\n',
    'test/late.test.ts': `${head}import { late } from "../src/late.ts"\ntest("late", () => assert.ok(late))\n`,
    'test/wrong.test.ts': `${head}import { price } from "../src/price.ts"\ntest("free", () => assert.strictEqual(price([], "DE"), 7))\n`,
  })
  const how = ['--repeats', '2', '--mutants', '0']
  const wrong = await type(['verify', 'test/wrong.test.ts', ...how])
  expect(wrong.stdout).toMatch(/^suspected_bug /)
  expect(wrong.stdout.match(/^Failed .*$/gm)).toEqual([expect.stringMatching(/free .*in 2 of 2 runs$/)])
  const inSnapshot = await type(['verify', 'test/late.test.ts', ...how])
  expect(inSnapshot.stdout).toMatch(/^no_gain .*no mutants of src\/late\.ts were tried/)
  const late = await type(['verify', 'test/late.test.ts', '--branch', 'main', ...how])
  expect(late.stdout).toMatch(/^not_built /)
  expect(late.stdout).toMatch(/^Next {2}src\/late\.ts is in your working tree but not in commit \w{7}: commit/m)
})

test('verifies several files and folders at once, lists and cancels verifications', async () => {
  const how = ['--repeats', '2', '--mutants', '2']
  const several = await type(['verify', 'test/price.test.ts', 'test/empty.test.ts', 'test/price.test.ts', ...how])
  expect(several.stdout).toMatch(/^accepted {2}test\/price\.test\.ts {2}[0-9A-Z]{26} {2}/m)
  expect(several.stdout).toMatch(/^no_gain {2}test\/empty\.test\.ts {2}/m)
  expect(several.stdout).toMatch(/^Tests {2}2: 1 accepted, 1 no_gain$/m)
  expect(pageIn(several.stdout)).toBe(`${core.url}/projects/${projectId}/verifications`)
  expect(several.exitCode).toBe(1)
  expect(several.stderr).toMatch(/^Waiting for verification [0-9A-Z]{26} of test\/price\.test\.ts$/m)

  const folder = await type(['verify', 'test', '--detach', '--json', ...how])
  const { verifications } = JSON.parse(folder.stdout) as { verifications: { id: string; filePath: string }[] }
  expect(verifications.map(({ filePath }) => filePath)).toEqual(
    expect.arrayContaining(['test/empty.test.ts', 'test/price.test.ts']),
  )
  expect(folder.exitCode).toBe(0)
  const single = await type(['verify', 'test/price.test.ts', '--again', '--detach'])
  expect(single).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^[0-9A-Z]{26}\n/) })
  const id = single.stdout.trim()
  const cancelled = await type(['verify', 'cancel', id])
  expect(cancelled).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/(?:is cancelled|has already completed)\.\n/),
  })
  const list = await type(['verify', 'list', '--limit', '2'])
  expect(list).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(id) })
  expect(list.stdout.split('\n').filter((line) => /^[0-9A-Z]{26}/.test(line))).toHaveLength(2)

  const [source, empty, target, detached] = await Promise.all([
    type(['verify', 'src']),
    type(['verify', 'test', '--target', 'src/price.ts']),
    type(['verify', 'test/price.test.ts', '--budget', '5s']),
    type(['verify', '--id', id, '--detach']),
  ])
  expect(source).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('has no test files') })
  expect(empty).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--target and --suggestion belong') })
  expect(target).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('from 10s to 60m') })
  expect(detached).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Leave out --id') })
})

test('Ctrl-C during a verification says how to follow it', async () => {
  const words = ['verify', 'test/price.test.ts', '--again', '--repeats', '20', '--mutants', '0']
  const command = startAssay(words, { cwd: repository.path, env })
  await command.until(({ stderr }) => stderr.includes('Waiting for verification'))
  command.interrupt()
  const { exitCode, stdout, stderr } = await command.ended
  expect([exitCode, stdout]).toEqual([130, ''])
  expect(stderr).toContain('continues on the server')
  const [, id = ''] = /--id (\w+)/.exec(stderr) ?? []
  const cancelled = await type(['verify', '--id', id, '--cancel', '--json'])
  expect(JSON.parse(cancelled.stdout)).toMatchObject({ id })
  expect(cancelled.exitCode).toBe(0)
})

test('refuses a missing file, a folder and a link out of the checkout before it sends anything', async () => {
  await symlink('/etc/hostname', join(repository.path, 'test', 'link.test.ts'))
  const [missing, folder, link, nothing, outside] = await Promise.all([
    type(['verify', 'test/nobody.test.ts']),
    type(['suggest', './nowhere']),
    type(['verify', 'test/link.test.ts']),
    type(['verify']),
    type(['suggest'], { cwd: '/' }),
  ])
  expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('does not exist') })
  expect(folder).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('does not exist') })
  expect(link).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('symbolic link') })
  expect(nothing).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^Say what to verify: .*--change/) })
  expect(outside).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('git checkout') })
})

test('completes commands, options and projects, and offers nothing where it cannot', async () => {
  const name = repository.path.split('/').at(-1)
  expect(await completionsOf(['sug'], env)).toEqual(['suggest', ':4'])
  expect(await completionsOf(['projects', ''], env)).toEqual(['list', 'add', 'show', 'remove', ':4'])
  expect(await completionsOf(['suggest', '--m'], env)).toEqual(['--max', '--measure', ':4'])
  // The shell completes files.
  expect(await completionsOf(['verify', ''], env)).toEqual(['list', 'cancel', ':0'])
  expect(await completionsOf(['projects', 'show', ''], { ...env, SVC_BASE_URL: 'http://127.0.0.1:1' })).toEqual([':4'])
  for (const words of [
    ['projects', 'show', ''],
    ['suggest', '--project', ''],
  ]) {
    expect(await completionsOf(words, env)).toEqual([name, ':4'])
  }
})
