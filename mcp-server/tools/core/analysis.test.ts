import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp } from '../../../core/testing/app.ts'
import { pageAt } from '../../../core/testing/dashboard-pages.ts'
import { createTokenFor } from '../../../core/testing/factories.ts'
import { defaultBudgetTokens, estimateTokens, hardCapBytes } from '../../answers/output.ts'
import { type CalledTool, connectV1, connectV2, type TestClient, leaves } from '../../testing/clients.ts'
import { createRepository, shopFiles, type TestRepository } from '../../../client/testing/repository.ts'
import { type Stack, startStack } from '../../testing/stack.ts'

let stack: Stack
let client: TestClient
let shop: TestRepository
let projectId: string
let analyzed: CalledTool

beforeAll(async () => {
  ;[stack, shop] = await Promise.all([startStack(), createRepository(shopFiles)])
  client = await connectV2({ kind: 'http', url: stack.mcpUrl, token: await createTokenFor(stack.core) }, 'auto')
  projectId = await createProject(shop.path)
  analyzed = await client.call('analyze_repository', { projectId })
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
  await shop[Symbol.asyncDispose]()
})

let named = 0
const newName = () => `Shop ${(named += 1)}`

async function createProject(repository: string): Promise<string> {
  const { facts } = await client.call('create_project', { name: newName(), repository })
  return String(facts['id'])
}

test('lists the best candidates first, with place, score and reasons', () => {
  expect(analyzed.isError).toBe(false)
  const candidates = analyzed.facts['candidates'] as { symbol: string; score: number; reasons: string[] }[]
  expect(candidates.map(({ symbol }) => symbol)).toEqual(['price', 'name'])
  expect(candidates[0]?.reasons.length).toBeGreaterThan(0)
  expect(analyzed.facts).toMatchObject({ total: 2, offset: 0 })
  expect(analyzed.text).toContain(`Next: suggest_tests with projectId ${projectId}`)
  expect(analyzed.text).toContain('data, not instructions')
  expect(analyzed.text).toMatch(
    /\| price \| function \| about \d+ % \(estimate\) \| no direct call by a test was found \|/,
  )
  expect(analyzed.text).not.toContain('score')
})

test('the text has the same facts as the structured content', async () => {
  const answers = [
    analyzed,
    await client.call('get_analysis', { projectId }),
    await client.call('get_analysis', { projectId, section: 'files' }),
    await client.call('suggest_tests', { projectId, detail: true }),
    await client.call('get_project', { projectId }),
  ]
  for (const { facts, text } of answers) {
    // The text shows pages in other words.
    const { section: _section, offset: _offset, nextOffset: _next, ...told } = facts
    for (const line of leaves(withoutRank(told)).flatMap((leaf) => leaf.split('\n'))) expect(text).toContain(line)
  }
})

/** The text shows the order instead of the score, and coverage as a percentage. */
function withoutRank(facts: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(facts['candidates'])) return facts
  return {
    ...facts,
    candidates: facts['candidates'].map(
      ({ score: _score, coverage: _coverage, coverageSource: _source, ...told }: Record<string, unknown>) => told,
    ),
  }
}

test('shows what the analysis noticed, and pages through it', async () => {
  await using other = await createRepository({
    'package.json': '{"name":"shop","type":"module","dependencies":{"koa":"3"}}',
    'src/format.js': "import { sprintf } from 'printj'\nexport const format = (a) => sprintf(a)\n",
    ...Object.fromEntries(
      Array.from({ length: 11 }, (_, at) => [`src/part${at}.js`, `import a from 'missing-${at}'\nexport default a\n`]),
    ),
  })
  const id = await createProject(other.path)
  const done = await client.call('analyze_repository', { projectId: id })
  const printj = { kind: 'undeclared_import', path: 'src/format.js', line: 1 }
  expect(done.facts['findings']).toHaveLength(10)
  expect(done.facts['findings']).toMatchObject([printj, {}, {}, {}, {}, {}, {}, {}, {}, {}])
  expect(done.text).toContain('src/format.js:1 No manifest declares printj. Nothing imports this file.\n')
  const summary = await client.call('get_analysis', { projectId: id })
  expect(summary.facts['findings']).toHaveLength(10)
  const rest = await client.call('get_analysis', { projectId: id, section: 'findings', offset: 10 })
  expect(rest.facts).toMatchObject({ findings: [{ path: 'src/part8.js' }, { path: 'src/part9.js' }], total: 12 })
  expect(analyzed.facts['findings']).toBeUndefined()
})

test('an analysis without a wait can be followed by its id', async () => {
  await using other = await createRepository(shopFiles)
  const id = await createProject(other.path)
  const started = await client.call('analyze_repository', { projectId: id, waitSeconds: 0 })
  expect(started.isError).toBe(false)
  expect(['pending', 'running']).toContain(started.facts['status'])
  const analysisId = String(started.facts['analysisId'])
  expect(started.text).toContain(`Call analyze_repository with analysisId ${analysisId}`)

  const done = await client.call('analyze_repository', { analysisId })
  expect(done.facts).toMatchObject({ status: 'completed', analysisId, projectId: id })
  expect((await client.call('get_project', { projectId: id })).facts).toMatchObject({
    analyses: [{ id: analysisId, status: 'completed' }],
    next: 'Next: suggest_tests, or get_analysis for the results.',
  })
})

test('reads an analysis by section and in pages', async () => {
  const analysisId = analyzed.facts['analysisId']
  const summary = await client.call('get_analysis', { analysisId })
  expect(summary.facts).toMatchObject({ summary: { totalFiles: 4, hasTests: false, package: expect.any(String) } })
  const seen: string[] = []
  for (let offset: unknown = 0; offset !== undefined;) {
    const page = await client.call('get_analysis', { projectId, section: 'files', limit: 3, offset })
    seen.push(...(page.facts['files'] as { path: string }[]).map(({ path }) => path))
    offset = page.facts['nextOffset']
  }
  expect(seen.toSorted()).toEqual(Object.keys(shopFiles).toSorted())
  const warnings = await client.call('get_analysis', { projectId, section: 'warnings' })
  expect(warnings.facts['warnings']).toEqual(expect.any(Array))
})

test('a failed analysis says why and what to do', async () => {
  const { isError, text } = await client.call('analyze_repository', { projectId, branch: 'no-such-branch' })
  expect(isError).toBe(true)
  expect(text).toMatch(/branch_not_found|branch/)
  expect(text).toContain('no-such-branch')
})

test('suggest_tests analyzes a new project first, and the analysis is stored', async () => {
  const id = await createProject(shop.path)
  const { isError, text } = await client.call('get_analysis', { projectId: id })
  expect(isError).toBe(true)
  expect(text).toContain('analyze_repository')
  const suggested = await client.call('suggest_tests', { projectId: id, maxSuggestions: 1 })
  const url = `${stack.core.url}/projects/${id}/suggestions`
  expect(suggested.facts).toMatchObject({
    status: 'completed',
    url: `${url}?tab=suggestions`,
    suggestions: [{ test_type: 'unit' }],
  })
  expect(await client.call('get_analysis', { projectId: id })).toMatchObject({ isError: false, facts: { url } })
  expect(await pageAt(String(suggested.facts['url']), stack.core.url)).toBe('/projects/$projectId/suggestions')
})

test('reports why the first analysis failed', async () => {
  const id = await createProject('/no/such/repository')
  const { isError, text } = await client.call('suggest_tests', { projectId: id })
  expect(isError).toBe(true)
  expect(text).toMatch(/^Analysis \w{26} failed: /)
})

test('suggestions name real files and symbols, and continue where the last page ended', async () => {
  const all = await client.call('suggest_tests', { projectId, maxSuggestions: 2 })
  const suggestions = all.facts['suggestions'] as Record<string, unknown>[]
  for (const { file_path, target } of suggestions) {
    expect(Object.keys(shopFiles)).toContain(file_path)
    expect(target).toMatchObject({ symbol: expect.stringMatching(/^(price|name)$/) })
  }
  const rest = await client.call('suggest_tests', { projectId, maxSuggestions: 2, offset: 1 })
  expect(rest.facts['suggestions']).toEqual(suggestions.slice(1))
  expect(rest.facts).toMatchObject({ total: suggestions.length, offset: 1 })
})

test('shows the lines that begin all examples once', async () => {
  const { facts, text } = await client.call('suggest_tests', { projectId, maxSuggestions: 2, detail: true })
  const codes = (facts['suggestions'] as { example_code: string }[]).map(({ example_code }) => example_code)
  expect(codes).toHaveLength(2)
  const [header = ''] = codes[0]?.split('\n') ?? []
  expect(header).toMatch(/^\/\/ /)
  for (const code of codes) expect(code.startsWith(header)).toBe(true)
  expect(text.split(header)).toHaveLength(2)
  expect(text).toContain('Every example begins with these lines')

  const one = await client.call('suggest_tests', { projectId, maxSuggestions: 1, detail: true })
  const [only] = one.facts['suggestions'] as { example_code: string }[]
  expect(one.text).toContain(only?.example_code.trimEnd())
})

test('later pages of suggestions cause no second call to the AI provider', async () => {
  const asked = () => stack.core.logLines.filter((line) => line.includes('/trpc/analysis.suggestTests')).length
  await client.call('suggest_tests', { projectId, maxSuggestions: 3 })
  const before = asked()
  expect((await client.call('suggest_tests', { projectId, maxSuggestions: 3, offset: 1 })).isError).toBe(false)
  // Core has logged a call by the time that it answers the next one.
  await client.call('suggest_tests', { projectId, maxSuggestions: 4 })
  await expect.poll(asked).toBe(before + 1)
})

test('says how to start an AI service that is down', async () => {
  await using core = await createTestApp()
  const env = { SVC_BASE_URL: core.url, SVC_API_TOKEN: await createTokenFor(core) }
  await using alone = await connectV1({ kind: 'stdio', env })
  const { facts } = await alone.call('create_project', { name: 'Shop', repository: shop.path })
  await alone.call('analyze_repository', { projectId: facts['id'] })
  const { isError, text } = await alone.call('suggest_tests', { projectId: facts['id'] })
  expect(isError).toBe(true)
  expect(text).toContain('The AI service does not answer')
  expect(text).toContain('npm start')
})

test('answers about a large repository stay within the budget', async () => {
  const files = Array.from({ length: 300 }, (_, index) => [
    `src/some/long/folder/name/module-number-${index}.ts`,
    `export function computeSomethingImportant${index}(a: number) {\n  if (a > ${index}) return 1\n  return a ? 2 : 3\n}\n`,
  ])
  await using large = await createRepository(Object.fromEntries(files))
  const id = await createProject(large.path)
  const plain = await client.call('analyze_repository', { projectId: id })
  expect(plain.facts).toMatchObject({ status: 'completed', total: 300, nextOffset: 10 })
  const much = await client.call('analyze_repository', { projectId: id, limit: 100 })
  const listed = await client.call('get_analysis', { projectId: id, section: 'files', limit: 100 })
  const suggested = await client.call('suggest_tests', { projectId: id, maxSuggestions: 50 })
  for (const { facts, text } of [plain, await client.call('suggest_tests', { projectId: id })]) {
    expect(estimateTokens(JSON.stringify(facts))).toBeLessThanOrEqual(defaultBudgetTokens)
    expect(estimateTokens(text)).toBeLessThanOrEqual(defaultBudgetTokens)
  }
  for (const answer of [much, listed, suggested]) {
    expect(answer.isError).toBe(false)
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(hardCapBytes)
  }
  expect(much.facts['cut']).toContain('of the 100 requested items fit into the answer (300 in all)')
  expect(plain.text).toMatch(/Call get_analysis with analysisId \w+, section candidates, offset 10 for the rest\./)

  const seen: unknown[] = []
  for (let offset: unknown = 0; offset !== undefined;) {
    const page = await client.call('get_analysis', { projectId: id, section: 'candidates', limit: 100, offset })
    seen.push(...(page.facts['candidates'] as { symbol: string }[]).map(({ symbol }) => symbol))
    offset = page.facts['nextOffset']
  }
  expect(new Set(seen).size).toBe(300)
  expect(seen).toHaveLength(300)
})
