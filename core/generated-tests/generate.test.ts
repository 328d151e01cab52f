import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId } from '../base/ids.ts'
import { createAnalysedProject, rankedFiles } from '../suggestions/testing.ts'
import { type TestAi, startAi } from '../testing/ai-service.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { GeneratedTestEntity } from './entity.ts'

let ai: TestAi
let app: TestApp
let repository: GitRepository
beforeAll(async () => {
  ai = await startAi()
  app = await createTestApp({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } })
  repository = await createGitRepository({
    ...rankedFiles(4),
    'src/rates.ts': 'export const rateOf = (kind: string) => kind.length\n',
    'src/large.ts': `${'// A line that nobody reads.\n'.repeat(3_000)}export const last = 1\n`,
    'src/empty.ts': '',
    'src/link.ts': { linkTo: '/etc/passwd' },
  })
})
afterEach(() => {
  ai.answer = undefined
  ai.asked = []
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
  await ai[Symbol.asyncDispose]()
})

const target = { path: 'src/f3.ts', symbol: 'f3' }

/** A test as an AI service writes it. */
const written = (file: string) => ({ name: 'n', file, code: `expect(${JSON.stringify(file)})`, coverage: 'c' })
const answerWith = (...tests: object[]) => ({
  body: { tests: { unit_tests: tests }, coverage_estimate: 1, test_count: tests.length, execution_time: '0ms' },
})

test('requires a text file of the latest analysis as target, and an open suggestion of the project', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  const other = await createAnalysedProject(app, repository)
  const [foreign] = (await other.client.analysis.suggestTests.mutate({ projectId: other.projectId })).suggestions
  const [own, gone, renamed] = (await client.analysis.suggestTests.mutate({ projectId })).suggestions
  await client.suggestions.dismiss.mutate({ suggestionId: own?.id ?? '' })
  await app.dataSource.query(`UPDATE suggestions SET file_path = 'src/gone.ts' WHERE id = $1`, [gone?.id])
  await app.dataSource.query(`UPDATE suggestions SET target = jsonb_set(target, '{symbol}', '"old"') WHERE id = $1`, [
    renamed?.id,
  ])
  ai.asked = []
  const refused: [object, string, RegExp][] = [
    [{}, 'BAD_REQUEST', /either target or suggestionId/],
    [{ target, suggestionId: own?.id }, 'BAD_REQUEST', /either target or suggestionId/],
    [{ target, count: 11 }, 'BAD_REQUEST', /^count:/],
    [{ target: { path: 'src/nowhere.ts' } }, 'BAD_REQUEST', /not a file of the analyzed commit/],
    [{ target: { path: '../outside.ts' } }, 'BAD_REQUEST', /not a file of the analyzed commit/],
    [{ target: { path: 'src/link.ts' } }, 'BAD_REQUEST', /symbolic link/],
    [{ target: { path: 'src/empty.ts' } }, 'BAD_REQUEST', /is not a text file/],
    [
      { target: { path: 'src/f3.ts', symbol: 'f' } },
      'BAD_REQUEST',
      /^target.symbol: src\/f3.ts has no "f" at the analyzed commit\. Ranked symbols of this file: f3\.$/,
    ],
    [{ target: { path: 'src/rates.ts', symbol: 'rateof' } }, 'BAD_REQUEST', /src\/rates.ts has no "rateof"/],
    [{ target: { path: 'src/f3.ts', symbol: '' } }, 'BAD_REQUEST', /^target.symbol: is empty/],
    [{ target: { path: 'src/f3.ts', symbol: 'f3\0' } }, 'BAD_REQUEST', /^target.symbol: contains a NUL/],
    [{ target: { path: 'src/f3.ts', symbol: 'f3\ud800' } }, 'BAD_REQUEST', /^target.symbol: contains a NUL/],
    [{ target: { path: 'src/f3.ts\0' } }, 'BAD_REQUEST', /not a file of the analyzed commit/],
    [{ suggestionId: 'a\0b' }, 'BAD_REQUEST', /NUL/],
    [
      { target, framework: 'vitesst' },
      'BAD_REQUEST',
      /^framework: .*"vitesst".* TypeScript: vitest, jest, .*The project uses vitest/,
    ],
    [{ target, framework: 'pytest' }, 'BAD_REQUEST', /^framework: .*"pytest"/],
    [{ target, framework: 'chai' }, 'BAD_REQUEST', /^framework: .*"chai"/],
    [{ target, framework: 'a\0b' }, 'BAD_REQUEST', /^framework: /],
    [{ suggestionId: renamed?.id }, 'CONFLICT', /Request new suggestions/],
    [{ suggestionId: own?.id }, 'CONFLICT', /was dismissed/],
    [{ suggestionId: gone?.id }, 'CONFLICT', /Request new suggestions/],
    [{ suggestionId: foreign?.id }, 'NOT_FOUND', /suggestions.list/],
    [{ suggestionId: newId(new Date()) }, 'NOT_FOUND', /suggestions.list/],
  ]
  for (const [input, code, words] of refused) {
    const failure = await client.analysis.generateTests.mutate({ projectId, ...input }).catch((error) => error)
    expect([input, failure.data?.code, failure.message]).toEqual([input, code, expect.stringMatching(words)])
  }
  // Also one of a project that the caller may see.
  const second = await other.client.projects.createProject.mutate({ name: 'x', repository: repository.path })
  const { client: both } = other
  await both.analysis.analyzeRepository.mutate({ projectId: second.id })
  await expect(
    both.analysis.generateTests.mutate({ projectId: second.id, suggestionId: foreign?.id ?? '' }),
  ).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  expect(ai.asked).toEqual([])
})

test('says why a symbol that was suggested has lost its rank: a run has measured that tests run all of it', async () => {
  await using shop = await createGitRepository({
    'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
    'src/price.js': `export function shipping(total) {
  if (total >= 50) return 0
  return 5
}

export function price(sum) {
  if (sum > 100) return sum * 0.9
  return sum
}
`,
    'test/price.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shipping } from '../src/price.js'
test('ships', () => assert.deepEqual([shipping(60), shipping(1)], [0, 5]))
`,
  })
  const { client, projectId } = await createAnalysedProject(app, shop)
  const suggested = await client.analysis.suggestTests.mutate({ projectId })
  expect(suggested.suggestions.map(({ target }) => target?.symbol)).toContain('shipping')
  await client.analysis.suggestTests.mutate({ projectId, measure: true, waitSeconds: 45 })
  const target = { path: 'src/price.js', symbol: 'shipping' }
  const { warnings } = await client.analysis.generateTests.mutate({ projectId, target })
  expect(warnings).toEqual([
    'The analysis does not rank "shipping" in src/price.js, because tests run all of it, or it is trivial. The AI service looks for it by name.',
  ])
}, 120_000)

test('generates tests for an unranked symbol if its file mentions it or is too large to tell', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  ai.answer = () => answerWith(written('src/new.test.ts'))
  const generate = async (path: string, symbol: string) =>
    (await client.analysis.generateTests.mutate({ projectId, target: { path, symbol } })).warnings
  expect(await generate('src/rates.ts', 'rateOf')).toEqual([
    expect.stringMatching(/does not rank "rateOf" in src\/rates.ts, .* by name/),
  ])
  expect(await generate('src/large.ts', 'last')).toEqual([expect.stringMatching(/does not rank "last".*too large/)])
  expect(await generate('src/f3.ts', 'f3')).toEqual([])
})

test('stores a test once if two concurrent calls generate it', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  ai.answer = () => answerWith(written('src/a.test.ts'))
  const both = await Promise.all([1, 2].map(() => client.analysis.generateTests.mutate({ projectId, target })))
  expect(both[1]).toEqual(both[0])
  expect(await app.dataSource.getRepository(GeneratedTestEntity).countBy({ projectId })).toBe(1)
})

test('names a framework by its usual name, and warns about a test for another framework', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  ai.answer = () => answerWith({ ...written('src/a.test.ts'), framework: 'node:test' })
  const generate = (framework: string) => client.analysis.generateTests.mutate({ projectId, target, framework })
  expect((await generate('Node.js test runner')).warnings).toEqual([])
  expect((await generate('NODE')).warnings).toEqual([])
  expect((await generate('tape')).warnings).toEqual(['"src/a.test.ts" uses node:test instead of tape.'])
  expect(ai.asked.map(({ request }) => request.framework)).toEqual(['node:test', 'node:test', 'tape'])
})

test('explains why there are fewer tests than requested', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  const reason = async (count: number) =>
    (await client.analysis.generateTests.mutate({ projectId, target, count })).warnings.at(-1)
  const [a, b] = [written('src/a.test.ts'), written('src/b.test.ts')]
  ai.answer = () => answerWith(a, b)
  expect(await reason(2)).toBeUndefined()
  expect(await reason(3)).toBe('2 of 3 tests: the AI service wrote no more.')
  ai.answer = () => answerWith(a, a, written('../outside.test.ts'))
  expect(await reason(3)).toBe('1 of 3 tests: the AI service wrote 3, of which 2 were omitted or duplicates.')
  ai.answer = () => answerWith()
  expect(await reason(1)).toBe('0 of 1 tests: the AI service wrote none.')
})
