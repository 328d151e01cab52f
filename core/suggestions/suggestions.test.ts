import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId } from '../base/ids.ts'
import type { Suggestion } from '../ai/schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { type TestAi, startAi } from '../testing/ai-service.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { SuggestionEntity } from './entity.ts'
import { createAnalysedProject, rankedFiles } from './testing.ts'

let ai: TestAi
let app: TestApp
let repository: GitRepository
beforeAll(async () => {
  ai = await startAi()
  app = await createTestApp({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } })
  repository = await createGitRepository({
    ...rankedFiles(6),
    'src/f0.test.ts': "import { expect, test } from 'vitest'\ntest('f0', () => expect(1).toBe(1))\n",
    '.env': 'PAYMENT_KEY=never-to-be-read\n',
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

const rows = () => app.dataSource.getRepository(SuggestionEntity)
const symbolsOf = (suggestions: Suggestion[]) => suggestions.map(({ target }) => target?.symbol)
const idsOf = (suggestions: { id?: string | undefined }[]) => suggestions.map(({ id }) => id)

/** What an AI service suggests for a file. */
const about = (file_path: string, more: object = {}) => ({
  file_path,
  test_type: 'unit',
  description: 'd',
  rationale: 'r',
  example_code: 'e',
  ...more,
})
const answerWith = (suggestions: unknown[]) => ({
  body: { commit_sha: 'of another project', summary: 's', suggestions, suggestion_count: suggestions.length },
})

test('stores suggestions best first, and keeps their ids when they are repeated', async () => {
  const { client, projectId, commitSha } = await createAnalysedProject(app, repository)
  const first = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 3 })
  expect(symbolsOf(first.suggestions)).toEqual(['f5', 'f4', 'f3'])
  expect(first.warnings).toBeUndefined()
  const listed = await client.suggestions.list.query({ projectId })
  expect(listed.pagination).toEqual({ total: 3, limit: 20, offset: 0 })
  expect(listed.suggestions).toMatchObject(
    first.suggestions.map(({ brief: _brief, ...suggestion }) => ({
      ...suggestion,
      projectId,
      commitSha,
      status: 'open',
    })),
  )
  const again = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 4 })
  expect(idsOf(again.suggestions).slice(0, 3)).toEqual(idsOf(first.suggestions))
  expect((await client.suggestions.list.query({ projectId, status: 'open' })).pagination.total).toBe(4)
  expect(await client.suggestions.list.query({ projectId, limit: 1, offset: 3 })).toMatchObject({
    suggestions: [{ target: { symbol: 'f3' } }],
  })
})

test('replaces dismissed, accepted and written suggestions with others', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 3 })
  const [best, second] = suggestions
  if (!best?.id || !second?.id) throw new Error('there are three')
  const dismissed = await client.suggestions.dismiss.mutate({ suggestionId: best.id })
  expect(dismissed).toMatchObject({ id: best.id, status: 'dismissed' })
  expect(await client.suggestions.dismiss.mutate({ suggestionId: best.id })).toEqual(dismissed)
  await rows().update({ id: second.id }, { status: 'accepted' })
  await expect(client.suggestions.dismiss.mutate({ suggestionId: second.id })).rejects.toMatchObject({
    data: { code: 'CONFLICT' },
  })
  const written = { path: 'src/f3.ts', symbol: 'f3' }
  await client.analysis.generateTests.mutate({ projectId, target: written })

  const next = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 3 })
  expect(symbolsOf(next.suggestions).toSorted()).toEqual(['f0', 'f1', 'f2'])
  expect(next.suggestions[0]?.rationale).toContain('Rank 1 of the 3 left')
  expect(next.warnings?.[0]).toMatch(/^3 ranked candidates are omitted because .*analysis\.generateTests/)
  const { avoid } = ai.asked.at(-1)?.request ?? {}
  expect(avoid).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ file_path: 'src/f5.ts', symbol: 'f5', test_type: 'unit' }),
      expect.objectContaining({ file_path: 'src/f4.ts', symbol: 'f4', test_type: 'unit' }),
      expect.objectContaining({ file_path: 'src/f3.ts', symbol: 'f3', test_type: 'unit' }),
    ]),
  )

  for (const { id } of next.suggestions) await client.suggestions.dismiss.mutate({ suggestionId: id ?? '' })
  ai.asked = []
  const none = await client.analysis.suggestTests.mutate({ projectId })
  expect([none.suggestions, none.suggestionCount, ai.asked]).toEqual([[], 0, []])
  expect(none.summary).toContain('analysis.generateTests')
})

test('sends only the best candidates and the nearby tests to the AI service', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  const { sources, style_examples: examples } = ai.asked[0]?.request ?? {}
  expect(sources?.map(({ path }) => path)).toEqual(['src/f5.ts', 'src/f4.ts'])
  expect(sources?.[0]?.content).toContain('/** Number 5. */')
  expect(examples?.length).toBeLessThanOrEqual(3)
  expect(ai.asked[0]?.text).not.toContain('never-to-be-read')
})

test('asks the AI service once more without the dismissed suggestions that it repeats', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  await client.suggestions.dismiss.mutate({ suggestionId: suggestions[0]?.id ?? '' })
  ai.asked = []
  const target = { symbol: 'f5', startLine: 2, endLine: 9 }
  ai.answer = ({ max_suggestions }) =>
    answerWith(max_suggestions === 2 ? [about('src/f5.ts', { target }), about('src/f1.ts')] : [about('src/f2.ts')])
  const answer = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 2 })
  expect(answer.suggestions.map(({ file_path }) => file_path)).toEqual(['src/f1.ts', 'src/f2.ts'])
  expect(ai.asked).toHaveLength(2)
  for (const { request } of ai.asked) {
    expect(request.analysis?.testCandidates?.map(({ symbol }) => symbol)).toEqual(expect.not.arrayContaining(['f5']))
  }
})

test('keeps the first suggestions if the second request fails', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  let questions = 0
  ai.answer = () => {
    questions++
    return questions === 1 ? answerWith([about('src/f1.ts'), about('src/f1.ts')]) : { status: 500, body: {} }
  }
  const answer = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 2 })
  expect([answer.suggestionCount, questions]).toEqual([1, 2])
})

test('rejects foreign files, ids, endless texts and extra suggestions in a hostile answer', async () => {
  const { client, projectId, commitSha } = await createAnalysedProject(app, repository)
  const outside = [
    '../../etc/passwd',
    '/etc/passwd',
    '.git/hooks/post-checkout',
    'src/.GIT/config',
    'C:\\Windows\\win.ini',
    'src\\f1.ts',
    'src//f1.ts',
    './src/f1.ts',
    'src/f1.ts/../../../x',
    '',
    'src/f1.ts\0',
    'src/\u202ef1.ts',
    'x'.repeat(5_000),
    'lib/of-another-project.ts',
  ]
  const mine = { id: 'chosen-by-the-service', description: `a\0b\ud800${'d'.repeat(20_000)}` }
  const many = Array.from({ length: 1_000 }, (_, index) =>
    about('src/f1.ts', { target: { ...f1, symbol: `s${index}` } }),
  )
  ai.answer = () => answerWith([...outside.map((path) => about(path)), about('src/f2.ts', mine), ...many])
  const answer = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 5 })
  expect(answer).toMatchObject({ commitSha, suggestionCount: 5 })
  expect(answer.suggestions.map(({ file_path }) => file_path)).toEqual(['src/f2.ts', ...Array(4).fill('src/f1.ts')])
  expect(answer.suggestions[0]?.id).not.toBe('chosen-by-the-service')
  expect(answer.suggestions[0]?.description).toMatch(/^a\ufffdb\ufffdd{8000,8190}$/)
  expect(await rows().countBy({ projectId })).toBe(5)
})
const f1 = { startLine: 1, endLine: 2 }

test('stores suggestions for a sent analysis only if its commit was analyzed, and reads no source', async () => {
  const { client, projectId, commitSha } = await createAnalysedProject(app, repository)
  const { result } = await client.projects.getLatestProjectAnalysis.query({ projectId })
  if (!result) throw new Error('it is analysed')
  const suggest = (analysisOverride: AnalysisResult) =>
    client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1, analysisOverride })
  const elsewhere = await suggest({ ...result, commitSha: 'd'.repeat(40) })
  expect(elsewhere).toMatchObject({ commitSha: 'd'.repeat(40), suggestions: [{ target: { symbol: 'f5' } }] })
  expect([elsewhere.suggestions[0]?.id, await rows().countBy({ projectId })]).toEqual([undefined, 0])
  const same = await suggest({ ...result, commitSha })
  expect(await rows().findBy({ projectId })).toMatchObject([{ id: same.suggestions[0]?.id, commitSha }])
  expect(ai.asked.map(({ request }) => request.sources)).toEqual([[], []])

  await client.suggestions.dismiss.mutate({ suggestionId: same.suggestions[0]?.id ?? '' })
  expect(symbolsOf((await suggest({ ...result, commitSha: 'd'.repeat(40) })).suggestions)).toEqual(['f4'])
})

test('omits files of a sent analysis whose names Postgres cannot store', async () => {
  const { client, projectId, commitSha } = await createAnalysedProject(app, repository)
  const { result } = await client.projects.getLatestProjectAnalysis.query({ projectId })
  if (!result) throw new Error('it is analysed')
  const odd = ['src/a\0.ts', 'src/b\ud800.ts'].map((path) => ({
    path,
    size: 1,
    extension: '.ts',
    language: 'TypeScript',
  }))
  ai.answer = () => answerWith([...odd.map(({ path }) => about(path)), about('src/f1.ts')])
  const analysisOverride = { ...result, commitSha, files: [...result.files, ...odd] }
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, analysisOverride })
  expect(suggestions).toMatchObject([{ file_path: 'src/f1.ts', id: expect.any(String) }])
})

test('keeps the latest 2,000 open suggestions, and all that a test uses', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  await app.dataSource.query(
    `INSERT INTO suggestions (id, project_id, user_id, commit_sha, file_path, test_type, description, rationale,
                              example_code, fingerprint, status, created_at, updated_at)
     SELECT $1 || n, $1, 'u', 'c', 'f' || n, 'unit', '', '', '', 'p' || n, 'open', now() - interval '1 day', now() - n * interval '1 minute'
       FROM generate_series(1, 2000) AS n`,
    [projectId],
  )
  const oldest = `${projectId}2000`
  await app.dataSource.query(
    `INSERT INTO generated_tests (id, project_id, user_id, suggestion_id, commit_sha, file_path, code, test_type, description, created_at)
     VALUES ($1, $2, 'u', $3, 'c', 'x.test.ts', 'x', 'unit', '', now())`,
    [newId(new Date()), projectId, oldest],
  )
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 3 })
  expect(await rows().countBy({ projectId })).toBe(2_001)
  for (const [n, kept] of [
    [1_999, false],
    [1_998, false],
    [1_997, true],
    [2_000, true],
  ] as const) {
    expect([n, await rows().existsBy({ id: `${projectId}${n}` })]).toEqual([n, kept])
  }
})

test('suggests tests without the source if the repository has become unreadable, and warns', async () => {
  await using short = await createGitRepository(rankedFiles(2))
  const { client, projectId } = await createAnalysedProject(app, short)
  await short[Symbol.asyncDispose]()
  const answer = await client.analysis.suggestTests.mutate({ projectId })
  expect(answer.suggestionCount).toBe(2)
  expect(answer.warnings).toEqual([expect.stringContaining('without the source')])
})

test('limits an owner to eight concurrent calls to the AI service', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  const { client: other, projectId: otherProject } = await createAnalysedProject(app, repository)
  const released = Promise.withResolvers<void>()
  ai.answer = async () => {
    await released.promise
    return answerWith([about('src/f1.ts')])
  }
  const calls = Array.from({ length: 8 }, () => client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 }))
  await expect.poll(() => ai.asked.length, { timeout: 60_000 }).toBe(8)
  await expect(client.analysis.suggestTests.mutate({ projectId })).rejects.toMatchObject({
    data: { code: 'RATE_LIMITED', httpStatus: 429, retryAfter: 5 },
  })
  const neighbour = other.analysis.suggestTests.mutate({ projectId: otherProject, maxSuggestions: 1 })
  await expect.poll(() => ai.asked.length, { timeout: 60_000 }).toBe(9)
  released.resolve()
  const ids = (await Promise.all([...calls, neighbour])).map(({ suggestions }) => suggestions[0]?.id)
  expect(new Set(ids.slice(0, 8)).size).toBe(1)
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
})
