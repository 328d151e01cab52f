import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { AnalysisEntity } from '../analysis/entity.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { type TestAi, startAi } from '../testing/ai-service.ts'
import type { AnalysisResult, TestCandidate } from '../../engines/analysis/schema.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { createAnalysedProject, rankedFiles } from './testing.ts'

let ai: TestAi
let app: TestApp
let repository: GitRepository
beforeAll(async () => {
  ai = await startAi()
  app = await createTestApp({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } })
  repository = await createGitRepository(rankedFiles(3))
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

type Setup = Awaited<ReturnType<typeof createAnalysedProject>>

/** Stores the latest analysis with other candidates, as a later analysis of the project would. */
async function replaceCandidates(
  { client, projectId }: Setup,
  change: (candidates: TestCandidate[]) => TestCandidate[],
): Promise<AnalysisResult> {
  const { id, result } = await client.projects.getLatestProjectAnalysis.query({ projectId })
  if (!result) throw new Error('it is analyzed')
  const testCandidates = change(result.testCandidates ?? [])
  const changed = { ...result, testCandidates, summary: { ...result.summary, candidateCount: testCandidates.length } }
  await app.dataSource.getRepository(AnalysisEntity).update({ id }, { result: changed })
  return changed
}

const openSymbols = async ({ client, projectId }: Setup) =>
  (await client.suggestions.list.query({ projectId, status: 'open' })).suggestions.map(({ target }) => target?.symbol)

const aCase = (id: string, covered: boolean | null = null) => ({
  id,
  line: 3,
  condition: 'n > 0',
  outcome: 'returns' as const,
  result: '0',
  covered,
})

test('a suggestion has the cases, the brief and the public entry of the analysis, and the list keeps the cases', async () => {
  const setup = await createAnalysedProject(app, repository)
  const { client, projectId } = setup
  const through = { path: 'src/f1.ts', symbol: 'f1', startLine: 2, endLine: 6 }
  const { testCandidates } = await replaceCandidates(setup, (all) =>
    all.map((one) => ({ ...one, cases: [aCase('one'), aCase('two')], through })),
  )
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  const facts = { case_ids: ['one', 'two'], cases: [aCase('one'), aCase('two')], through }
  expect(suggestions).toMatchObject([{ ...facts, brief: testCandidates?.[0]?.brief }])
  expect(suggestions[0]?.brief?.framework).toBe('vitest')
  expect(suggestions[0]?.description).toContain('returns `0` where `n > 0` (line 3)')
  const listed = await client.suggestions.list.query({ projectId })
  expect(listed.suggestions).toMatchObject([facts])
})

test('keeps only the cases that the AI service names and the candidate has, and nothing else that it claims to know', async () => {
  const setup = await createAnalysedProject(app, repository)
  const { client, projectId } = setup
  await replaceCandidates(setup, (all) =>
    all.map((one) => ({ ...one, cases: [aCase('one'), aCase('two'), aCase('run', true)] })),
  )
  const claimed = (symbol: string, case_ids: string[]) => ({
    file_path: `src/${symbol}.ts`,
    test_type: 'unit',
    description: 'd',
    rationale: 'r',
    example_code: 'e',
    target: { symbol, startLine: 2, endLine: 9 },
    case_ids,
    cases: [aCase('invented')],
    brief: { framework: 'evil', testFile: { path: '../../x', exists: false } },
    through: { path: '../x', symbol: 'x', startLine: 1, endLine: 1 },
  })
  ai.answer = () => ({
    body: {
      commit_sha: 'c',
      summary: 's',
      suggestions: [claimed('f2', ['two', 'run', 'foreign']), claimed('f1', ['foreign'])],
      suggestion_count: 2,
    },
  })
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 2 })
  expect(suggestions).toMatchObject([
    { case_ids: ['two'], cases: [aCase('two')], brief: { framework: 'vitest' } },
    { cases: [aCase('one'), aCase('two')], brief: { framework: 'vitest' } },
  ])
  expect(suggestions.map(({ case_ids, through }) => [case_ids, through])).toEqual([
    [['two'], undefined],
    [undefined, undefined],
  ])
})

test('a suggestion says how many open cases it leaves out, and the list keeps the number', async () => {
  const setup = await createAnalysedProject(app, repository)
  const { client, projectId } = setup
  const cases = [...Array.from({ length: 23 }, (_, at) => aCase(`case-${at}`)), aCase('run', true)]
  await replaceCandidates(setup, (all) => all.map((one) => ({ ...one, cases, moreCases: 5 })))
  const about = { test_type: 'unit', description: 'd', rationale: 'r', example_code: 'e' }
  const target = { startLine: 2, endLine: 9 }
  ai.answer = () => ({
    body: {
      commit_sha: 'c',
      summary: 's',
      suggestions: [
        { ...about, file_path: 'src/f2.ts', target: { ...target, symbol: 'f2' }, case_ids: ['case-1'] },
        { ...about, file_path: 'src/f1.ts', target: { ...target, symbol: 'f1' } },
      ],
      suggestion_count: 2,
    },
  })
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 2 })
  const amounts = (of: typeof suggestions) => of.map(({ cases: shown, moreCases }) => [shown?.length, moreCases])
  expect(amounts(suggestions)).toEqual([
    [1, 27],
    [20, 8],
  ])
  expect(amounts((await client.suggestions.list.query({ projectId })).suggestions)).toEqual(amounts(suggestions))
})

test('a suggestion whose code is no candidate any more is outdated, and open again with its id if it returns', async () => {
  const setup = await createAnalysedProject(app, repository)
  const { client, projectId } = setup
  const first = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 3 })
  expect(await openSymbols(setup)).toEqual(['f2', 'f1', 'f0'])
  let all: TestCandidate[] = []
  await replaceCandidates(setup, (before) => (all = before).filter(({ symbol }) => symbol !== 'f2'))
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  expect(await openSymbols(setup)).toEqual(['f1', 'f0'])
  expect((await client.suggestions.list.query({ projectId, status: 'outdated' })).suggestions).toMatchObject([
    { id: first.suggestions[0]?.id, status: 'outdated', target: { symbol: 'f2' } },
  ])
  await replaceCandidates(setup, () => all)
  const again = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  expect(again.suggestions[0]?.id).toBe(first.suggestions[0]?.id)
  expect(await openSymbols(setup)).toEqual(['f2', 'f1', 'f0'])
})

test('suggestions for a part of the repository leave those for the rest open', async () => {
  const setup = await createAnalysedProject(app, repository)
  const { client, projectId } = setup
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 3 })
  await client.analysis.suggestTests.mutate({ projectId, paths: ['src/f1.ts'] })
  expect(await openSymbols(setup)).toEqual(['f2', 'f1', 'f0'])
})

test('a suggestion whose cases tests run now is not repeated, and is outdated', async () => {
  const setup = await createAnalysedProject(app, repository)
  const { client, projectId } = setup
  const withCases = (covered: (symbol: string) => boolean | null) =>
    replaceCandidates(setup, (all) =>
      all.map((one) => ({
        ...one,
        cases: [aCase(`${one.symbol}-1`, covered(one.symbol)), aCase(`${one.symbol}-2`, covered(one.symbol))],
      })),
    )
  await withCases(() => null)
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 3 })
  await withCases((symbol) => symbol === 'f2')
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 3 })
  expect(suggestions.map(({ target }) => target?.symbol)).toEqual(['f1', 'f0'])
  expect(await openSymbols(setup)).toEqual(['f1', 'f0'])
})

test('a list of the best candidates only says nothing about code that it leaves out', async () => {
  const setup = await createAnalysedProject(app, repository)
  const { client, projectId } = setup
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 3 })
  const { id, result } = await client.projects.getLatestProjectAnalysis.query({ projectId })
  if (!result) throw new Error('it is analyzed')
  const testCandidates = result.testCandidates?.slice(0, 1)
  const cut = { ...result, testCandidates, summary: { ...result.summary, candidateCount: 3 } }
  await app.dataSource.getRepository(AnalysisEntity).update({ id }, { result: cut })
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  expect(await openSymbols(setup)).toEqual(['f2', 'f1', 'f0'])
})

test('an outdated suggestion can be dismissed, and a test can be generated for it', async () => {
  const setup = await createAnalysedProject(app, repository)
  const { client, projectId } = setup
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 2 })
  await replaceCandidates(setup, (all) => all.filter(({ symbol }) => symbol === 'f0'))
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  expect(await openSymbols(setup)).toEqual(['f0'])
  const [first, second] = suggestions.map(({ id }) => id ?? '')
  expect(await client.suggestions.dismiss.mutate({ suggestionId: first ?? '' })).toMatchObject({ status: 'dismissed' })
  const { tests } = await client.analysis.generateTests.mutate({ projectId, suggestionId: second })
  expect(tests).toMatchObject([{ target: { symbol: 'f1' } }])
})

test('a generated test names the open cases that it covers', async () => {
  const setup = await createAnalysedProject(app, repository)
  const { client, projectId } = setup
  await replaceCandidates(setup, (all) =>
    all.map((one) => ({ ...one, cases: [aCase('one'), aCase('two'), aCase('run', true)] })),
  )
  const target = { path: 'src/f2.ts', symbol: 'f2' }
  const { tests } = await client.analysis.generateTests.mutate({ projectId, target })
  expect(tests).toMatchObject([{ target, caseIds: ['one', 'two'] }])
  const { tests: listed } = await client.generatedTests.list.query({ projectId })
  expect(listed).toMatchObject([{ id: tests[0]?.id, caseIds: ['one', 'two'] }])
})

test('cuts the cases and briefs of a sent analysis, and stores texts that Postgres does not accept', async () => {
  const { client, projectId, commitSha } = await createAnalysedProject(app, repository)
  const { result } = await client.projects.getLatestProjectAnalysis.query({ projectId })
  const [best] = result?.testCandidates ?? []
  if (!result || !best) throw new Error('it is analyzed')
  const cases = Array.from({ length: 300 }, (_, at) => ({
    ...aCase(`case-${at}`),
    condition: `a\0b\ud800\u202e](javascript:x) ${'c'.repeat(5_000)}`,
  }))
  const brief = { framework: 'vitest', testFile: { path: 'a\0.test.ts', exists: false }, import: 'x'.repeat(9_000) }
  const analysisOverride = { ...result, commitSha, testCandidates: [{ ...best, cases, brief }] }
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1, analysisOverride })
  expect(suggestions[0]?.cases).toHaveLength(5)
  expect(suggestions[0]?.cases?.[0]?.condition).toMatch(/^a\ufffdb\ufffd.{900,1100}$/)
  expect(suggestions[0]?.description).toMatch(/; 295 more\.$/)
  expect(suggestions[0]?.description).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  expect(suggestions[0]?.brief?.import).toHaveLength(1_000)
  expect((await client.suggestions.list.query({ projectId })).suggestions[0]?.cases).toHaveLength(5)

  for (const wrong of [{ cases: 5 }, { cases: [{ id: 1 }] }, { brief: 'x' }, { through: {} }]) {
    const sent = { ...result, testCandidates: [{ ...best, ...wrong }] } as unknown as AnalysisResult
    await expect(client.analysis.suggestTests.mutate({ projectId, analysisOverride: sent })).rejects.toMatchObject({
      data: { httpStatus: 400 },
    })
  }
})

test('cuts all long lists of a sent analysis, so that a large one is no reason to refuse it', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  const { result } = await client.projects.getLatestProjectAnalysis.query({ projectId })
  const [best] = result?.testCandidates ?? []
  if (!result || !best) throw new Error('it is analyzed')
  const many = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at))
  const lines = many(120, (at) => ({ startLine: 2 * at + 1, endLine: 2 * at + 1 }))
  const part = { ecosystem: 'javascript', framework: 'vitest', command: 'npx vitest run' }
  const sent: AnalysisResult = {
    ...result,
    summary: {
      ...result.summary,
      candidateCount: 300,
      testing: many(200, (at) => ({ ...part, directory: `part-${at}`, testFiles: many(100, (n) => `${n}/*.ts`) })),
    },
    testCandidates: many(300, (at) => ({
      ...best,
      symbol: `f${at}`,
      reasons: many(100, (n) => `reason ${n}`),
      uncovered: lines,
      changedSince: lines,
      partialBranches: many(100, (line) => ({ line: line + 1, taken: 0, total: 2 })),
      nearestTests: many(100, (n) => `test/${n}.test.ts`),
    })),
    findings: many(5_000, (n) => ({ kind: 'dead_export', path: 'src/f1.ts', line: n + 1, name: 'x', message: 'dead' })),
  }
  const answer = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1, analysisOverride: sent })
  expect(answer.suggestions).toMatchObject([{ target: { symbol: 'f0' } }])
  expect([answer.testing?.length, answer.testing?.[0]?.testFiles?.length]).toEqual([50, 50])
  const analysis = ai.asked.at(-1)?.request.analysis
  expect(analysis?.testCandidates?.[0]?.uncovered).toHaveLength(50)
  expect(analysis?.findings).toBeUndefined()
})
