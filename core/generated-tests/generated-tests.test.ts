import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createAnalysedProject, rankedFiles } from '../suggestions/testing.ts'
import { type TestAi, startAi } from '../testing/ai-service.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { startReceiver } from '../webhooks/dispatch/testing/receiver.ts'
import { GeneratedTestEntity } from './entity.ts'

let ai: TestAi
let app: TestApp
let repository: GitRepository
beforeAll(async () => {
  ai = await startAi()
  app = await createTestApp({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } })
  repository = await createGitRepository({
    ...rankedFiles(4),
    'src/f0.test.ts': "import { expect, test } from 'vitest'\ntest('f0', () => expect(1).toBe(1))\n",
    linked: { linkTo: '/etc' },
  })
})
afterEach(() => {
  app.config.ai.timeoutMs = 60_000
  ai.answer = undefined
  ai.asked = []
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
  await ai[Symbol.asyncDispose]()
})

const rows = () => app.dataSource.getRepository(GeneratedTestEntity)
const target = { path: 'src/f3.ts', symbol: 'f3' }

const eventsOf = (projectId: string): Promise<unknown[]> =>
  app.dataSource.query(`SELECT id FROM events WHERE project_id = $1 AND type = 'test.generated'`, [projectId])

/** A test as an AI service writes it. */
const written = (file: string, code = `expect(${JSON.stringify(file)})`) => ({ name: 'n', file, code, coverage: 'c' })
const answerWith = (...tests: object[]) => ({
  body: { tests: { unit_tests: tests }, coverage_estimate: 1, test_count: tests.length, execution_time: '0ms' },
})

test('generates one test for a suggestion and emits an event', async () => {
  await using receiver = await startReceiver()
  const { client, projectId, commitSha } = await createAnalysedProject(app, repository)
  const { webhook } = await client.webhooks.create.mutate({ url: receiver.url, events: ['test.generated'], projectId })
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  const suggestionId = suggestions[0]?.id ?? ''

  const { tests, warnings } = await client.analysis.generateTests.mutate({ projectId, suggestionId })
  expect([tests.length, warnings]).toEqual([1, []])
  const [made] = tests
  if (!made) throw new Error('there is one')
  expect(made).toMatchObject({
    projectId,
    suggestionId,
    commitSha,
    filePath: 'src/f3.test.ts',
    code: expect.stringContaining('f3'),
    testType: 'unit',
    description: expect.stringContaining('f3'),
    target: { ...target, startLine: 2 },
    verdict: null,
    verificationId: null,
    dismissedAt: null,
  })

  await expect.poll(() => receiver.received, { timeout: 60_000 }).toHaveLength(1)
  const [delivery] = receiver.received
  const plain = Object.fromEntries(
    Object.entries(delivery?.headers ?? {}).map(([name, value]) => [name, String(value)]),
  )
  const { event, data, project } = new Webhook(webhook.secret).verify(delivery?.body ?? '', plain) as {
    event: string
    data: object
    project: object
  }
  const { id, filePath, testType, framework, description, createdAt } = made
  const url = `${app.config.baseUrl}/projects/${projectId}/generated-tests/${id}`
  expect(made.url).toBe(url)
  expect([event, project]).toEqual(['test.generated', expect.objectContaining({ id: projectId })])
  expect(data).toEqual({ id, projectId, url, filePath, testType, framework, description, createdAt })

  // Whoever lost the answer asks again.
  const again = await client.analysis.generateTests.mutate({ projectId, suggestionId })
  expect([again.tests, await eventsOf(projectId)]).toEqual([tests, [expect.anything()]])
  const { code: _code, ...listed } = made
  expect(await client.generatedTests.list.query({ projectId })).toEqual({
    tests: [listed],
    pagination: { total: 1, limit: 20, offset: 0 },
  })
  expect(await client.generatedTests.get.query({ generatedTestId: id })).toEqual(made)
})

test('sends the target at the analyzed commit and nearby tests to the AI service', async () => {
  await using moving = await createGitRepository({ ...rankedFiles(2), 'src/f0.spec.ts': "test('older', () => {})\n" })
  const { client, projectId } = await createAnalysedProject(app, moving)
  await moving.commit({ 'src/f1.ts': 'export const later = 1\n' })
  ai.answer = () => answerWith(written('src/f1.spec.ts'))
  await client.analysis.generateTests.mutate({
    projectId,
    target: { path: 'src/f1.ts', symbol: 'f1' },
    framework: 'jest',
    count: 2,
  })
  const { sources, style_examples, count, framework, target, avoid } = ai.asked[0]?.request ?? {}
  expect(sources).toEqual([{ path: 'src/f1.ts', content: rankedFiles(2)['src/f1.ts'] }])
  expect(style_examples).toEqual([{ path: 'src/f0.spec.ts', content: "test('older', () => {})\n" }])
  expect({ count, framework, target, avoid }).toEqual({
    count: 2,
    framework: 'jest',
    target: { path: 'src/f1.ts', symbol: 'f1', startLine: 2, endLine: 7 },
    avoid: [],
  })
  await client.analysis.generateTests.mutate({ projectId, target: { path: 'src/f1.ts', symbol: 'f1' } })
  expect(ai.asked[1]?.request.avoid).toEqual([
    { file_path: 'src/f1.ts', symbol: 'f1', test_type: 'unit', description: 'c' },
  ])
})

test('targets the symbol that the AI service names for a whole file, if it exists', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  const named = (symbol: string) => ({ ...written(`src/${symbol}.spec.ts`), target: { path: 'src/f3.ts', symbol } })
  ai.answer = () => answerWith(named('f3'), named('invented'))
  const { tests } = await client.analysis.generateTests.mutate({ projectId, target: { path: 'src/f3.ts' }, count: 5 })
  expect(tests.map(({ target }) => target)).toEqual([{ ...target, startLine: 2, endLine: 9 }, { path: 'src/f3.ts' }])
})

test('gives tests free names in the repository and among each other', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  ai.answer = () => answerWith(written('src/f0.test.ts', 'a'), written('src/F0.test.ts', 'b'), written('e2e/a.spec.ts'))
  const { tests } = await client.analysis.generateTests.mutate({ projectId, target, count: 3 })
  expect(tests.map(({ filePath }) => filePath)).toEqual(['src/f0-2.test.ts', 'src/F0-3.test.ts', 'e2e/a.spec.ts'])
})

test('rejects hostile tests: outside the repository, in place of another file, or not a test', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  const refused = [
    '/etc/cron.d/x.test.ts',
    '../x.test.ts',
    'src/../../x.test.ts',
    '.git/hooks/x.test.ts',
    'src/.Git/x.test.ts',
    'GIT~1/x.test.ts',
    'C:/x.test.ts',
    'src\\x.test.ts',
    'src/x.test.ts\n',
    '-rf/x.test.ts',
    `${'d/'.repeat(60)}x.test.ts`,
    `${'n'.repeat(300)}.test.ts`,
    '.github/workflows/ci.yml',
    '.github/x.test.ts',
    'package.json',
    'src/f1.ts',
    'src/plain.ts',
    'src/f0.test.ts/x.test.ts',
    'linked/x.test.ts',
    'src',
    '',
  ]
  for (const file of refused) {
    ai.answer = () => answerWith(written(file))
    const { tests, warnings } = await client.analysis.generateTests.mutate({ projectId, target })
    const [why, howMany] = warnings
    expect([file, tests, why]).toEqual([file, [], expect.stringMatching(/^A test was omitted: /)])
    expect(howMany).toMatch(/^0 of 1 tests: /)
    expect(warnings.join().length).toBeLessThan(500)
  }
  const wrong: [object, string][] = [
    [written('src/a.test.ts', ' \n'), 'empty'],
    [written('src/a.test.ts', 'x'.repeat(300_000)), '256 KiB'],
    [written('src/a.test.ts', 'a\0b'), 'not valid text'],
    [written('src/a.test.ts', 'a\ud800'), 'not valid text'],
    [{ ...written('src/a.test.ts'), target: { path: 'lib/other-project.ts' } }, 'lib/other-project.ts'],
  ]
  for (const [answer, words] of wrong) {
    ai.answer = () => answerWith(answer)
    const { tests, warnings } = await client.analysis.generateTests.mutate({ projectId, target })
    expect([tests, warnings[0]]).toEqual([[], expect.stringContaining(words)])
  }
  expect([await rows().countBy({ projectId }), await eventsOf(projectId)]).toEqual([0, []])

  ai.answer = () => answerWith(...Array.from({ length: 1_000 }, (_, at) => written(`src/many${at}.test.ts`)))
  const { tests } = await client.analysis.generateTests.mutate({ projectId, target, count: 2 })
  expect(tests.map(({ filePath }) => filePath)).toEqual(['src/many0.test.ts', 'src/many1.test.ts'])
})

test('stores nothing if the AI service fails, answers nonsense or does not stop', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  const failures: [NonNullable<TestAi['answer']>, string, RegExp][] = [
    [() => ({ status: 500, body: { message: 'inside' } }), 'INTERNAL_SERVER_ERROR', /status 500/],
    [() => ({ body: 'Certainly! Here is your test.' }), 'INTERNAL_SERVER_ERROR', /unknown format/],
    [() => ({ body: '{"tests":{"unit_tests":[{"file":"src/a.te' }), 'INTERNAL_SERVER_ERROR', /unknown format/],
    [() => ({ body: { tests: { unit_tests: [{ file: 5 }] } } }), 'INTERNAL_SERVER_ERROR', /unknown format/],
    [() => answerWith(written('src/a.test.ts', 'x'.repeat(10_000_000))), 'INTERNAL_SERVER_ERROR', /8 MiB/],
  ]
  for (const [answer, code, words] of failures) {
    ai.answer = answer
    const failure = await client.analysis.generateTests.mutate({ projectId, target }).catch((error) => error)
    expect([failure.data?.code, failure.message]).toEqual([code, expect.stringMatching(words)])
  }
  expect([await rows().countBy({ projectId }), await eventsOf(projectId)]).toEqual([0, []])
})

test('stops waiting for an AI service that hangs, and stores nothing', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  ai.answer = () => new Promise<never>(() => {})
  app.config.ai.timeoutMs = 300
  await expect(client.analysis.generateTests.mutate({ projectId, target })).rejects.toMatchObject({
    message: expect.stringContaining('AI_TIMEOUT_SECONDS'),
    data: { code: 'TIMEOUT', httpStatus: 504 },
  })
  const { tests } = await client.generatedTests.list.query({ projectId, dismissed: true })
  expect(tests).toEqual([])
})

test('answers NOT_FOUND and stores nothing if the project is deleted during the call', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  ai.answer = async () => {
    await client.projects.deleteProject.mutate({ projectId })
    return answerWith(written('src/a.test.ts'))
  }
  await expect(client.analysis.generateTests.mutate({ projectId, target })).rejects.toMatchObject({
    data: { code: 'NOT_FOUND' },
  })
  expect([await rows().countBy({ projectId }), await eventsOf(projectId)]).toEqual([0, []])
})

test('dismisses the suggestion with its test, and does not generate the test again', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  const suggest = async () =>
    (await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })).suggestions[0]
  const suggestionId = (await suggest())?.id ?? ''
  const { tests } = await client.analysis.generateTests.mutate({ projectId, suggestionId })
  const generatedTestId = tests[0]?.id ?? ''
  const dismissed = await client.generatedTests.dismiss.mutate({ generatedTestId })
  expect(dismissed).toMatchObject({ id: generatedTestId, dismissedAt: expect.any(String) })
  expect(await client.generatedTests.dismiss.mutate({ generatedTestId })).toEqual(dismissed)
  expect((await client.suggestions.list.query({ projectId, status: 'dismissed' })).suggestions).toMatchObject([
    { id: suggestionId },
  ])
  expect((await suggest())?.target?.symbol).toBe('f2')

  expect((await client.generatedTests.list.query({ projectId })).tests).toEqual([])
  expect((await client.generatedTests.list.query({ projectId, dismissed: true })).tests).toHaveLength(1)
  const code = tests[0]?.code ?? ''
  ai.answer = () => answerWith(written('src/f3.test.ts', code))
  const again = await client.analysis.generateTests.mutate({ projectId, target })
  expect(again).toMatchObject({ tests: [], warnings: [expect.stringContaining(generatedTestId), expect.any(String)] })
})

test('suggests tests for code again after a negative verdict, but not after a positive one', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  ai.answer = () => answerWith(written('src/f3.test.ts'))
  const { tests } = await client.analysis.generateTests.mutate({ projectId, target })
  ai.answer = undefined
  const best = async (verdict: 'accepted' | 'suspected_bug' | 'no_gain' | 'flaky' | 'not_built' | null) => {
    await rows().update({ id: tests[0]?.id ?? '' }, { verdict })
    const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
    return suggestions[0]?.target?.symbol
  }
  expect([await best(null), await best('accepted'), await best('suspected_bug')]).toEqual(['f2', 'f2', 'f2'])
  expect([await best('no_gain'), await best('flaky'), await best('not_built')]).toEqual(['f3', 'f3', 'f3'])
  expect((await client.generatedTests.list.query({ projectId, verdict: 'not_built' })).tests).toHaveLength(1)
  expect((await client.generatedTests.list.query({ projectId, verdict: 'accepted' })).tests).toEqual([])
})

test('a project keeps 2,000 generated tests; dismissed ones make room', async () => {
  const { client, projectId } = await createAnalysedProject(app, repository)
  await app.dataSource.query(
    `INSERT INTO generated_tests (id, project_id, user_id, commit_sha, file_path, code, test_type, description, created_at)
     SELECT $1 || n, $1, 'u', 'c', 'x' || n || '.test.ts', 'x', 'unit', '', now() FROM generate_series(1, 2000) AS n`,
    [projectId],
  )
  ai.answer = () => answerWith(written('src/a.test.ts'), written('src/b.test.ts'))
  const generate = (count: number) => client.analysis.generateTests.mutate({ projectId, target, count })
  await expect(generate(1)).rejects.toMatchObject({
    message: expect.stringContaining('generatedTests.dismiss'),
    data: { code: 'CONFLICT' },
  })
  expect(ai.asked).toEqual([])
  await client.generatedTests.dismiss.mutate({ generatedTestId: `${projectId}7` })
  await expect(generate(2)).rejects.toMatchObject({ data: { code: 'CONFLICT' } })
  expect([await rows().countBy({ projectId }), await eventsOf(projectId)]).toEqual([2_000, []])
  expect((await generate(1)).tests).toHaveLength(1)
  expect([await rows().countBy({ projectId }), await rows().existsBy({ id: `${projectId}7` })]).toEqual([2_000, false])
})
