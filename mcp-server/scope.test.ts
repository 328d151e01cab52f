import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTokenFor, createUser } from '../core/testing/factories.ts'
import { createFolder, createRepository } from '../client/testing/repository.ts'
import { connectV1, connectV2, type TestClient } from './testing/clients.ts'
import { type Stack, startStack } from './testing/stack.ts'

const sums = {
  'package.json': JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'node --test' } }),
  'src/sum.js':
    'export function sum(a, b) {\n  if (a === 0) return b\n  return a + b\n}\n' +
    'export function rest(a, b) {\n  if (b === 0) return NaN\n  return a % b\n}\n',
  'lib/other.js': 'export function other(a) {\n  if (a) return 1\n  return 2\n}\n',
  'test/sum.test.js':
    "import test from 'node:test'\nimport assert from 'node:assert'\nimport { sum } from '../src/sum.js'\n" +
    "import { other } from '../lib/other.js'\n" +
    "test('adds', () => { assert.equal(sum(1, 2), 3); assert.equal(sum(0, 2), 2); other(1) })\n",
}

let stack: Stack
let data: Awaited<ReturnType<typeof createFolder>>
let http: TestClient
let stdio: TestClient
let token: string
let user: Awaited<ReturnType<typeof createUser>>

beforeAll(async () => {
  ;[stack, data] = await Promise.all([startStack(), createFolder()])
  user = await createUser(stack.core)
  token = await createTokenFor(stack.core, { user })
  http = await connectV2({ kind: 'http', url: stack.mcpUrl, token }, 'auto')
  stdio = await connectV1({
    kind: 'stdio',
    env: { SVC_BASE_URL: stack.core.url, SVC_API_TOKEN: token, DATA_DIR: data.path },
  })
})
afterAll(async () => {
  await http[Symbol.asyncDispose]()
  await stdio[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
  await data[Symbol.asyncDispose]()
})

async function createProject(repository: { path: string }): Promise<string> {
  const { facts } = await http.call('create_project', { name: 'Sums', repository: repository.path })
  return String(facts['id'])
}

const placesOf = (facts: Record<string, unknown>) =>
  ((facts['suggestions'] ?? facts['candidates']) as { file_path?: string; path?: string }[])
    .map(({ file_path, path }) => file_path ?? path)
    .toSorted()

/** Repeats a call while the run that measures has not ended, as its answer says. */
async function measured(client: TestClient, tool: string, input: Record<string, unknown>) {
  for (;;) {
    const answer = await client.call(tool, input)
    if (answer.facts['runId'] === undefined || answer.isError) return answer
    expect(answer.text).toContain(`The run ${answer.facts['runId'] as string} measures the coverage. Call ${tool}`)
  }
}

test('limits suggestions and candidates of a project to paths, symbols and changes', async () => {
  await using repository = await createRepository(sums)
  const projectId = await createProject(repository)
  const all = await http.call('analyze_repository', { projectId })
  expect(placesOf(all.facts)).toEqual(['lib/other.js', 'src/sum.js', 'src/sum.js'])
  const lib = await http.call('suggest_tests', { projectId, paths: ['lib'] })
  expect(placesOf(lib.facts)).toEqual(['lib/other.js'])
  expect(lib.text).toContain('scope: Limited to lib (1 file).')
  const symbols = await http.call('analyze_repository', { projectId, symbols: ['rest'], paths: ['src', 'lib'] })
  expect(symbols.facts).toMatchObject({ candidates: [{ symbol: 'rest' }], total: 1, status: 'completed' })
  expect(symbols.text).toContain('Limited to src, lib, symbol rest (2 files).')
  const none = await http.call('suggest_tests', { projectId, since: 'main' })
  expect(none.facts).toMatchObject({ suggestions: [], next: expect.stringContaining('this scope') })

  for (const tool of ['suggest_tests', 'analyze_repository']) {
    const { isError, text } = await http.call(tool, { projectId, since: 'mian' })
    expect([isError, text]).toEqual([true, expect.stringContaining('The nearest names are: main.')])
  }
})

test('limits them for a checkout with changes as well, and since counts these', async () => {
  await using repository = await createRepository(sums)
  await createProject(repository)
  const localPath = repository.path
  await repository.write({ 'lib/draft.js': sums['lib/other.js'].replace('other', 'draft') })
  const changed = await stdio.call('suggest_tests', { localPath, since: 'HEAD' })
  expect(placesOf(changed.facts)).toEqual(['lib/draft.js'])
  const head = (await repository.git('rev-parse', 'HEAD')).slice(0, 7)
  expect(changed.facts['state']).toBe(`snapshot of 1 changed file on ${head}`)
  const candidates = await stdio.call('analyze_repository', { localPath, since: 'main', limit: 1 })
  expect(candidates.facts).toMatchObject({ candidates: [{ path: 'lib/draft.js' }], total: 1 })
  expect(candidates.text).toContain('changes since main')
  const lib = await stdio.call('analyze_repository', { localPath, paths: ['lib'], limit: 1 })
  expect(lib.text).toContain('Call again with offset 1 for the rest.')
  const rest = await stdio.call('analyze_repository', { localPath, paths: ['lib'], limit: 1, offset: 1 })
  expect(placesOf(rest.facts)).toHaveLength(1)
  const { isError, text } = await stdio.call('suggest_tests', { localPath, symbols: ['draf'] })
  expect([isError, text]).toEqual([true, expect.stringMatching(/symbols: .*"draf".*nearest names are: draft\./)])

  // A checkout without changes is the analyzed commit, and its branches are those of the checkout.
  await repository.git('switch', '--quiet', '--create', 'work')
  await repository.git('add', '--all')
  await repository.git('commit', '--quiet', '--message', 'Draft')
  const commitSha = await repository.git('rev-parse', 'HEAD')
  const { id } = (await http.call('get_project', { repository: localPath })).facts
  await http.call('analyze_repository', { projectId: id, commitSha })
  const committed = await stdio.call('suggest_tests', { localPath, since: 'main' })
  expect(placesOf(committed.facts)).toEqual(['lib/draft.js'])
  expect(committed.facts['state']).toBe(`commit ${commitSha.slice(0, 7)}`)
  expect((committed.facts['suggestions'] as { id?: string }[])[0]?.id).toBeDefined()
})

test('offers to measure, runs the tests once, and shows measured gaps', async () => {
  await using repository = await createRepository(sums)
  const projectId = await createProject(repository)
  const before = await http.call('suggest_tests', { projectId })
  expect(before.text).toContain('Call again with measure: true to run the tests and measure it.')
  const heard: string[] = []
  const first = await http.call('suggest_tests', { projectId, measure: true }, ({ message = '' }) =>
    heard.push(message),
  )
  expect(
    heard.some((message) => message.startsWith('run ')),
    heard.join(),
  ).toBe(true)
  const after =
    first.facts['runId'] === undefined ? first : await measured(http, 'suggest_tests', { projectId, measure: true })
  expect(after.text, after.text).toContain('Coverage was measured at this commit.')
  expect(after.facts).toMatchObject({ status: 'completed', suggestions: [{ target: { symbol: 'rest' } }, {}] })
  const candidates = await measured(http, 'analyze_repository', { projectId, measure: true, paths: ['src'] })
  expect(candidates.facts).toMatchObject({ candidates: [{ symbol: 'rest', coverageSource: 'measured' }] })
  expect((await http.call('list_runs', { projectId })).facts).toMatchObject({ total: 1 })
})

test('a checkout with changes keeps what was measured of its other lines', async () => {
  await using repository = await createRepository(sums)
  const projectId = await createProject(repository)
  const localPath = repository.path
  await repository.write({ 'src/sum.js': `// Sums.\n${sums['src/sum.js']}` })
  const before = await stdio.call('suggest_tests', { localPath })
  expect(before.text).toContain('because no run has measured it. Call again with measure: true')
  const after = await measured(stdio, 'suggest_tests', { localPath, measure: true })
  expect(after.text, after.text).toContain('Coverage was measured at this commit; 1 measured file changed since.')
  const places = (after.facts['suggestions'] as { target: { symbol: string; startLine: number } }[]).map(
    ({ target }) => `${target.symbol} ${target.startLine}`,
  )
  // All of `sum` runs, under its new lines.
  expect(places.toSorted()).toEqual(['other 1', 'rest 6'])
  expect((await http.call('list_runs', { projectId })).facts).toMatchObject({ total: 1 })
})

test('measures a checkout again where all of what was measured has changed, and then ranks it by that', async () => {
  await using repository = await createRepository(sums)
  const projectId = await createProject(repository)
  const localPath = repository.path
  const first = await measured(stdio, 'analyze_repository', { localPath, measure: true })
  expect(first.text, first.text).toContain('Coverage was measured at this commit.')
  const changed = Object.entries(sums).filter(([path]) => path.endsWith('.js'))
  await repository.write(Object.fromEntries(changed.map(([path, text]) => [path, `// Changed.\n${text}`])))
  await repository.git('add', '--all')
  await repository.git('commit', '--quiet', '--message', 'Change')
  await repository.write({ 'README.md': 'Sums.\n' })
  const before = await stdio.call('analyze_repository', { localPath })
  expect(before.text).toContain('Coverage was measured 1 commit earlier')
  const after = await measured(stdio, 'suggest_tests', { localPath, measure: true })
  expect(after.text, after.text).toContain('Coverage was measured at this commit.')
  const candidates = await stdio.call('analyze_repository', { localPath, paths: ['src'] })
  expect(candidates.facts).toMatchObject({ candidates: [{ symbol: 'rest', coverageSource: 'measured' }], total: 1 })
  expect((await http.call('list_runs', { projectId })).facts).toMatchObject({ total: 2 })

  // Once it is measured, it is not measured again.
  await measured(stdio, 'analyze_repository', { localPath, measure: true })
  expect((await http.call('list_runs', { projectId })).facts).toMatchObject({ total: 2 })
})

test('waits for the run no longer than the call may, and says how to continue', async () => {
  await using repository = await createRepository(sums)
  const projectId = await createProject(repository)
  await stack.core
    .client(token)
    .projects.updateProjectSettings.mutate({ projectId, settings: { testCommand: 'sleep 600' } })
  const startedAt = performance.now()
  const soon = { measure: true, symbols: ['rest'], waitSeconds: 0 }
  const { facts } = await http.call('analyze_repository', { projectId, ...soon })
  const { analysisId } = facts
  expect(facts['next']).toContain(`with analysisId ${String(analysisId)}, measure: true and the same scope to wait`)
  await http.call('analyze_repository', { analysisId })
  const input = { analysisId, ...soon }
  const answer = await http.call('analyze_repository', input)
  expect(performance.now() - startedAt).toBeLessThan(15_000)
  const runId = String(answer.facts['runId'])
  expect(answer.facts).toMatchObject({
    status: 'running',
    next: `The run ${runId} measures the coverage. Call analyze_repository with analysisId ${String(analysisId)}, measure: true and the same scope to wait for it.`,
  })
  await http.call('cancel_run', { runId })
  const cancelled = await http.call('analyze_repository', input)
  expect(cancelled.facts).toMatchObject({
    status: 'completed',
    next: expect.stringMatching(
      /^The coverage is estimated, because the run \w+ was cancelled\. Start another with trigger_run\. /,
    ),
  })
})

test('says why nothing was measured, and refuses tokens that must not run tests', async () => {
  await using repository = await createRepository({ 'lib/other.js': sums['lib/other.js'] })
  const projectId = await createProject(repository)
  const { text, isError } = await measured(http, 'suggest_tests', { projectId, measure: true })
  expect(isError).toBe(false)
  expect(text).toMatch(/warnings: .*The coverage is estimated, because the run \w+ has no result/)
  const scopes = ['analysis:run', 'projects:read'] as const
  const weak = await createTokenFor(stack.core, { user, scopes: [...scopes] })
  await using client = await connectV2({ kind: 'http', url: stack.mcpUrl, token: weak }, 'auto')
  const refused = await client.call('suggest_tests', { projectId, measure: true })
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('tests:run')])
})
