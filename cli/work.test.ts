import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, createRepository, shopFiles, type TestRepository } from '../client/testing/repository.ts'
import type { TestApp } from '../core/testing/app.ts'
import { createTokenFor, createUser } from '../core/testing/factories.ts'
import { assay, ended, startAssay, type Typed } from './testing/assay.ts'
import { startCore } from './testing/stack.ts'

const files = {
  ...shopFiles,
  'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
  'test/name.test.ts':
    'import assert from "node:assert"\nimport test from "node:test"\nimport { name } from "../src/name.ts"\n' +
    'test("German", () => assert.strictEqual(name("de"), "Laden"))\n',
}

let core: TestApp
let repository: TestRepository
let data: AsyncDisposable & { path: string }
let env: Record<string, string>
let projectId: string

/** In the checkout, as its owner. */
const type = (words: string[], typed: Typed = {}) => assay(words, { cwd: repository.path, env, ...typed })

beforeAll(async () => {
  ;[core, repository, data] = await Promise.all([startCore(), createRepository(files), createFolder()])
  const user = await createUser(core)
  env = { SVC_BASE_URL: core.url, SVC_API_TOKEN: await createTokenFor(core, { user }), DATA_DIR: data.path }
})

afterAll(async () => {
  await Promise.all([core, repository, data].map((one) => one[Symbol.asyncDispose]()))
})

test('a checkout that no project knows is analysed all the same, and told which command adds it', async () => {
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
  expect(suggestion).toMatchObject({ exitCode: 4, stdout: '' })
  const [, command] = /`assay (.*?)`/.exec(suggestion.stderr) ?? []
  const added = await type([...(command ?? '').split(' '), '--json'])
  expect(added).toMatchObject({ exitCode: 0 })
  projectId = (JSON.parse(added.stdout) as { id: string }).id
})

test('suggests tests for what is on disk, committed or not', async () => {
  await repository.write({
    'src/discount.ts':
      'export function discount(total: number, code: string): number {\n  if (code === "half") return total / 2\n' +
      '  if (code === "ten" && total > 50) return total - 10\n  return total\n}\n',
  })
  const suggested = await type(['suggest', '--json'])
  expect(suggested).toMatchObject({ exitCode: 0, stderr: '' })
  const { path, suggestions } = JSON.parse(suggested.stdout) as { path: string; suggestions: { file_path: string }[] }
  expect(path).toBe(repository.path)
  expect(suggestions.map(({ file_path }) => file_path)).toContain('src/discount.ts')
  const plain = await type(['suggest', '.', '--max', '1', '--code'])
  expect(plain.stdout).toMatch(/^1\. src\/\w+\.ts:\d+-\d+ \w+ {2}unit$/m)
  expect(plain.stdout).toContain('import ')
})

test('an analysis of the project is followed to its end, and its suggestions have ids', async () => {
  const analysis = await type(['analyze', '--project', '.', '--json'])
  const { id, status, candidates } = JSON.parse(analysis.stdout) as Record<string, unknown>
  expect([status, candidates]).toMatchObject(['completed', [{ symbol: 'price' }, { symbol: 'name' }]])
  const again = await type(['analyze', '--id', String(id), '--limit', '1', '--offset', '1'])
  expect(again.stdout).toMatch(/^src\/name\.ts:1-4\tname\t/)
  const suggested = await type(['suggest', projectId, '--json'])
  expect(JSON.parse(suggested.stdout)).toMatchObject({
    path: null,
    suggestions: [{ id: expect.any(String) }, { id: expect.any(String) }],
  })
})

test('generated tests are printed, or written where nothing is lost', async () => {
  const printed = await type(['generate', 'src/price.ts', '--symbol', 'price', '--json'])
  const { tests, written } = JSON.parse(printed.stdout) as { tests: { filePath: string; code: string }[]; written: [] }
  expect(written).toEqual([])
  const { filePath = '', code } = tests[0] ?? {}
  const first = await type(['generate', 'price.ts', '--symbol', 'price', '--write', '--json'], {
    cwd: join(repository.path, 'src'),
  })
  expect(JSON.parse(first.stdout)).toMatchObject({ written: [join('..', filePath)] })
  expect(await readFile(join(repository.path, filePath), 'utf8')).toBe(code)
  const second = await type(['generate', 'src/price.ts', '--symbol', 'price', '--write'])
  expect(second).toMatchObject({ exitCode: 2 })
  expect(second.stderr).toContain('--force')
})

test('a test is verified as it lies in the working tree, and the exit code is the verdict', async () => {
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
  expect(good).toMatchObject({ exitCode: 0, stderr: '' })
  const empty = await type(['verify', 'test/empty.test.ts', ...how])
  expect(empty).toMatchObject({ exitCode: 1 })
  expect(empty.stdout).toMatch(/^no_gain {2}test\/empty\.test\.ts {2}/)
  expect(empty.stdout).toContain('\nNext  ')
})

test('Ctrl-C while a test is verified says what goes on, and how to follow it', async () => {
  const words = ['verify', 'test/price.test.ts', '--again', '--repeats', '20', '--mutants', '0']
  const child = startAssay(words, { cwd: repository.path, env })
  const client = core.client(env['SVC_API_TOKEN'])
  const list = async () => (await client.tests.listVerifications.query({ projectId })).verifications
  const before = (await list()).length
  await expect.poll(async () => (await list()).length).toBeGreaterThan(before)
  child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await ended(child)
  expect([exitCode, stdout]).toEqual([130, ''])
  expect(stderr).toContain('goes on at the server')
  const [, id = ''] = /--id (\w+)/.exec(stderr) ?? []
  const cancelled = await type(['verify', '--id', id, '--cancel', '--json'])
  expect(JSON.parse(cancelled.stdout)).toMatchObject({ id })
  expect(cancelled.exitCode).toBe(0)
})

test('what is no test, or leads elsewhere, is refused before anything is sent', async () => {
  await symlink('/etc/hostname', join(repository.path, 'test', 'link.test.ts'))
  const [missing, link, nothing, outside] = await Promise.all([
    type(['verify', 'test/nobody.test.ts']),
    type(['verify', 'test/link.test.ts']),
    type(['verify']),
    type(['suggest'], { cwd: '/' }),
  ])
  expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('There is no file') })
  expect(link).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('symbolic link') })
  expect(nothing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--id') })
  expect(outside).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('git checkout') })
})

test('completes commands, options and projects, and keeps silent where it cannot', async () => {
  const complete = async (words: string[], more: Record<string, string> = {}) =>
    (await assay(['complete', '--', ...words], { env: { ...env, ...more } })).stdout
      .split('\n')
      .map((line) => line.split('\t')[0])
  const name = repository.path.split('/').at(-1)
  const [commands, subcommands, options, file, down] = await Promise.all([
    complete(['sug']),
    complete(['projects', '']),
    complete(['suggest', '--m']),
    complete(['verify', '']),
    complete(['projects', 'show', ''], { SVC_BASE_URL: 'http://127.0.0.1:1' }),
  ])
  expect(commands).toEqual(['suggest', ':4', ''])
  expect(subcommands).toEqual(['list', 'add', 'show', 'remove', ':4', ''])
  expect(options).toEqual(['--max', ':4', ''])
  // The shell completes files.
  expect(file).toEqual([':0', ''])
  expect(down).toEqual([':4', ''])
  // A busy server is not waited for, and answers the next time.
  for (const words of [
    ['projects', 'show', ''],
    ['suggest', '--project', ''],
  ]) {
    await expect.poll(() => complete(words)).toEqual([name, ':4', ''])
  }
})
