import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { createLocalAnalyzer } from '../client/local-analysis.ts'
import { connectV1, type TestClient } from './testing/clients.ts'
import { createHostileRepository, everything } from '../client/testing/hostile-repository.ts'
import { createFolder, createRepository, shopFiles } from '../client/testing/repository.ts'
import { type Stack, startStack } from './testing/stack.ts'

let stack: Stack
let user: Awaited<ReturnType<typeof createUser>>
let client: TestClient
let data: Awaited<ReturnType<typeof createFolder>>

beforeAll(async () => {
  ;[stack, data] = await Promise.all([startStack(), createFolder()])
  user = await createUser(stack.core)
  const token = await createTokenFor(stack.core, { user })
  client = await connectV1({
    kind: 'stdio',
    env: { SVC_BASE_URL: stack.core.url, SVC_API_TOKEN: token, DATA_DIR: data.path },
  })
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
  await data[Symbol.asyncDispose]()
})

const uncommitted = {
  'src/coupon.ts':
    'export function coupon(code: string, total: number) {\n' +
    '  if (code === "A" && total > 10) return 1\n  if (code === "B" || total > 20) return 2\n' +
    '  for (const letter of code) if (letter === "C") return 3\n  return 0\n}\n',
}

test('analyzes a working tree as it is on disk, without a project and without core', async () => {
  await using repository = await createRepository(shopFiles)
  await repository.write(uncommitted)
  await using alone = await connectV1({
    kind: 'stdio',
    env: { SVC_BASE_URL: 'http://127.0.0.1:1', DATA_DIR: data.path },
  })
  const { isError, facts, text } = await alone.call('analyze_repository', { localPath: `${repository.path}/src` })
  expect(isError).toBe(false)
  expect(facts).toMatchObject({
    localPath: repository.path,
    status: 'completed',
    branch: 'main',
    commitSha: await repository.git('rev-parse', 'HEAD'),
  })
  const paths = (facts['candidates'] as { path: string }[]).map(({ path }) => path)
  expect(paths).toContain('src/coupon.ts')
  expect(text).toContain('src/coupon.ts:1-6 | coupon | function')
  expect(text).toContain('Next: suggest_tests with the same localPath. Core did not respond: if no project has this')
  expect(text).toContain(`create_project with repository ${repository.path}, then suggest_tests`)
})

test('the next step after a local analysis depends on whether a project has the repository', async () => {
  await using repository = await createRepository(shopFiles)
  await repository.git('remote', 'add', 'origin', 'https://ada:secret@example.com/acme/next-step.git')
  const before = await client.call('analyze_repository', { localPath: repository.path })
  expect(before.text).toContain('Next: create_project with repository https://example.com/acme/next-step.git, then')
  expect(before.text).not.toContain('secret')
  await createProjectFor(stack.core, { user, repository: 'https://example.com/acme/next-step' })
  const after = await client.call('analyze_repository', { localPath: repository.path })
  expect(after.facts['next']).toBe('Next: suggest_tests with the same localPath.')
})

test('the next steps lead from a new repository to suggestions', async () => {
  await using repository = await createRepository(shopFiles)
  await repository.git('remote', 'add', 'origin', 'git@shop.invalid:acme/shop.git')
  const localPath = repository.path
  const { facts } = await client.call('analyze_repository', { localPath })
  const [, address] = /create_project with repository (\S+), then suggest_tests/.exec(String(facts['next'])) ?? []
  const created = await client.call('create_project', { name: 'Shop', repository: address })
  expect(created.isError).toBe(false)
  expect((await client.call('suggest_tests', { localPath })).facts).toMatchObject({
    status: 'completed',
    projectId: created.facts['id'],
  })
})

test('prefers the project of the path, then the newest project of the remote', async () => {
  await using repository = await createRepository(shopFiles)
  const address = 'https://example.com/acme/several'
  await repository.git('remote', 'add', 'origin', address)
  const localPath = repository.path
  await createProjectFor(stack.core, { user, repository: address })
  const newer = await createProjectFor(stack.core, { user, repository: address })
  expect((await client.call('suggest_tests', { localPath })).facts['projectId']).toBe(newer.id)
  const ofPath = await createProjectFor(stack.core, { user, repository: localPath })
  await createProjectFor(stack.core, { user, repository: address })
  expect((await client.call('suggest_tests', { localPath })).facts['projectId']).toBe(ofPath.id)
})

test('suggestions for a working tree use the project of its remote and include uncommitted files', async () => {
  await using repository = await createRepository({ 'README.md': '# Shop\n' })
  await repository.git('remote', 'add', 'origin', 'git@github.com:acme/local-shop.git')
  await repository.write(uncommitted)
  const project = await createProjectFor(stack.core, { user, repository: 'https://github.com/acme/local-shop' })
  const { isError, facts } = await client.call('suggest_tests', { localPath: repository.path })
  expect(isError).toBe(false)
  expect(facts).toMatchObject({ status: 'completed', projectId: project.id, localPath: repository.path })
  const suggestions = facts['suggestions'] as Record<string, unknown>[]
  expect(suggestions[0]).toMatchObject({ file_path: 'src/coupon.ts', target: { symbol: 'coupon' } })
})

test('finds the project by the path of the working tree, or takes the projectId', async () => {
  await using repository = await createRepository(shopFiles)
  const { id } = await createProjectFor(stack.core, { user, repository: repository.path })
  const other = await createProjectFor(stack.core, { user })
  const localPath = repository.path
  expect((await client.call('suggest_tests', { localPath })).facts).toMatchObject({ projectId: id, localPath })
  expect((await client.call('suggest_tests', { localPath, projectId: other.id })).facts).toMatchObject({
    projectId: other.id,
    localPath,
  })
})

test('a working tree without a project becomes one, once, where the server may read it', async () => {
  await using repository = await createRepository(shopFiles)
  const first = await client.call('suggest_tests', { localPath: repository.path })
  expect(first.isError, first.text).toBe(false)
  expect(first.facts).toMatchObject({ added: expect.stringContaining(String(first.facts['projectId'])) })
  const again = await client.call('suggest_tests', { localPath: repository.path })
  expect(again.facts).toMatchObject({ projectId: first.facts['projectId'] })
  expect(again.facts).not.toHaveProperty('added')
})

test('a working tree that the server may not read gets suggestions of its own, and the way to a project', async () => {
  await using repository = await createRepository(shopFiles)
  const { id: projectId } = await createProjectFor(stack.core, { user })
  const token = await createTokenFor(stack.core, { user, projectId })
  await using confined = await connectV1({
    kind: 'stdio',
    env: { SVC_BASE_URL: stack.core.url, SVC_API_TOKEN: token, DATA_DIR: data.path },
  })
  await repository.write(uncommitted)
  const localPath = repository.path
  const { isError, facts, text } = await confined.call('suggest_tests', { localPath, maxSuggestions: 1 })
  expect(isError, text).toBe(false)
  expect(facts).toMatchObject({
    status: 'completed',
    localPath,
    total: 1,
    suggestions: [{ file_path: 'src/price.ts', target: { symbol: 'price' }, brief: { testFile: { exists: false } } }],
    next: expect.stringContaining(`create_project with repository ${localPath}, then suggest_tests`),
  })
  expect(facts).not.toHaveProperty('projectId')
  expect(text).toMatch(/ L\d+ returns/)
  const page = { localPath, maxSuggestions: 2, offset: 1 }
  expect((await confined.call('suggest_tests', page)).facts).toMatchObject({
    total: 2,
    offset: 1,
    suggestions: [{ file_path: 'src/coupon.ts' }],
  })
  const detailed = await confined.call('suggest_tests', { localPath, detail: true })
  expect(detailed.text).toContain('src/coupon.ts')
  expect(detailed.text).not.toContain('example_code')
  const measured = await confined.call('suggest_tests', { localPath, measure: true })
  expect(measured.isError).toBe(true)
  expect(measured.text).toContain(`create_project with repository ${localPath}`)
})

test('a local analysis that outlasts the wait continues, and the next call returns it', async () => {
  const files = Array.from({ length: 400 }, (_, index) => [
    `src/${index}.ts`,
    `export const f${index} = (a: number) => (a > ${index} ? 1 : 2)\n`,
  ])
  await using repository = await createRepository(Object.fromEntries(files))
  const first = await client.call('analyze_repository', { localPath: repository.path, waitSeconds: 0 })
  expect(first.facts).toMatchObject({ status: 'running', localPath: repository.path })
  expect(first.text).toContain('Call analyze_repository with the same arguments')
  const second = await client.call('analyze_repository', { localPath: repository.path })
  expect(second.facts).toMatchObject({ status: 'completed', summary: { totalFiles: 400 } })
})

test('all pages of a local analysis come from one result, although files change', async () => {
  const file = (name: string) => `export const ${name} = (a: number) => (a > 1 ? 1 : 2)\n`
  const names = Array.from({ length: 60 }, (_, index) => `f${index}`)
  await using repository = await createRepository(
    Object.fromEntries(names.map((name) => [`src/some/long/folder/name/${name}.ts`, file(name)])),
  )
  const localPath = repository.path
  const seen: unknown[] = []
  for (let offset: unknown = 0, pages = 0; offset !== undefined; pages += 1) {
    const { facts, text } = await client.call('analyze_repository', { localPath, limit: 100, offset })
    expect(facts).toMatchObject({ status: 'completed', total: 60, offset })
    seen.push(...(facts['candidates'] as { symbol: string }[]).map(({ symbol }) => symbol))
    offset = facts['nextOffset']
    if (typeof offset === 'number') expect(text).toContain(`offset ${offset} for the rest`)
    await repository.write({ [`src/later${pages}.ts`]: file(`later${pages}`) })
  }
  expect(seen.length).toBe(60)
  expect(new Set(seen)).toEqual(new Set(names))
  const anew = await client.call('analyze_repository', { localPath })
  expect(Number(anew.facts['total'])).toBeGreaterThan(60)
})

test('says that an empty repository has nothing to analyze, with the warning', async () => {
  await using folder = await createFolder()
  await promisify(execFile)('git', ['init', '--quiet'], { cwd: folder.path })
  const { isError, facts, text } = await client.call('analyze_repository', { localPath: folder.path })
  expect(isError).toBe(false)
  expect(facts).not.toHaveProperty('commitSha')
  expect(text).toContain('There is nothing to analyze')
  expect(text).toMatch(/warningCount: 1\n +firstWarnings: history_unknown: /)
})

test('a folder outside of git is an error', async () => {
  for (const tool of ['analyze_repository', 'suggest_tests']) {
    const { isError, text } = await client.call(tool, { localPath: '/' })
    expect(isError).toBe(true)
    expect(text).toContain('not inside a git working tree')
  }
})

test('two concurrent calls for one tree share the analysis', async () => {
  await using repository = await createRepository(shopFiles)
  using analyzer = createLocalAnalyzer(data.path)
  const waiting = { waitMs: 20_000, signal: new AbortController().signal }
  const [first, second] = await Promise.all([
    analyzer.analyze(repository.path, waiting),
    analyzer.analyze(join(repository.path, 'src'), waiting),
  ])
  if (!first.done || !second.done) throw new Error('it took too long')
  expect(second.result).toBe(first.result)
})

test('a cancelled analysis stops, and the next call starts a new one', async () => {
  await using repository = await createRepository(shopFiles)
  using analyzer = createLocalAnalyzer(data.path)
  const cancelled = new AbortController()
  const first = analyzer.analyze(repository.path, { waitMs: 20_000, signal: cancelled.signal })
  setTimeout(() => cancelled.abort(new Error('no longer wanted')), 100)
  await expect(first).rejects.toThrow('no longer wanted')
  const second = await analyzer.analyze(repository.path, { waitMs: 20_000, signal: new AbortController().signal })
  expect(second).toMatchObject({ done: true, result: { summary: { totalFiles: 4 } } })
})

test('starts no program that the settings of a checkout name', async () => {
  await using repository = await createHostileRepository(shopFiles, everything)
  const { isError, text } = await client.call('analyze_repository', { localPath: repository.path })
  expect([isError, text]).toEqual([false, expect.stringContaining('src/price.ts')])
  expect(repository.isTriggered()).toBe(false)
})
