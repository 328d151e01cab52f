import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../base/context.ts'
import { createChangeFor } from '../changes/testing.ts'
import { createGeneratedTestFor } from '../generated-tests/testing.ts'
import { createSnapshotFor } from '../snapshots/testing.ts'
import { createMeasurementFor } from '../strength/testing.ts'
import { createAnalysedProject, createSuggestionFor, rankedFiles } from '../suggestions/testing.ts'
import { startAi, type TestAi } from '../testing/ai-service.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { contextFor } from '../testing/context.ts'
import { createProjectFor, createRunFor, createSessionFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createVerificationFor } from '../verifications/testing.ts'
import { endVerification } from '../verifications/state.ts'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'
import type { Evidence } from '../../engines/verdicts/schema.ts'
import { ActivityKind, type ListActivity } from './schema.ts'

let ai: TestAi
let app: TestApp
beforeAll(async () => {
  ai = await startAi()
  app = await createTestApp({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } })
})
afterEach(() => (ai.answer = undefined))
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await ai[Symbol.asyncDispose]()
})

async function setUp() {
  const user = await createUser(app, { name: 'Ada' })
  const { id: projectId } = await createProjectFor(app, { user })
  const client = app.client(await createTokenFor(app, { user }))
  const activity = (input: Partial<ListActivity> = {}) => client.projects.activity.query({ projectId, ...input })
  return { user, projectId, client, activity, of: { projectId, userId: user.id } }
}

const evidence = { reason: 'kills_mutants', summary: 'It detects 3 of 4 mutants. Keep it.' } as Evidence

/** A record of every kind, oldest first. */
async function createAll(of: { projectId: string; userId: string }) {
  const ended = { completedAt: new Date() }
  await createSuggestionFor(app, of)
  await createGeneratedTestFor(app, of)
  await createVerificationFor(app, { ...of, ...ended, status: 'completed', verdict: 'accepted', evidence })
  await createChangeFor(app, { ...of, head: 'feature/x', base: 'main', status: 'running' })
  await createMeasurementFor(app, { ...of, paths: ['src/a.js', 'src/b.js'] })
  await createRunFor(app, { ...of, ...ended, status: 'COMPLETED', totalTests: 5, failedTests: 2 })
  await createSnapshotFor(app, { ...of, branch: 'wip' })
}

test('shows every kind of record with who made it, how it ended and why, newest first', async () => {
  const { user, activity, of } = await setUp()
  await createAll(of)
  const { entries, nextCursor } = await activity()
  expect(nextCursor).toBeNull()
  expect(entries.map(({ kind, title, status, verdict, outcome }) => [kind, title, status, verdict, outcome])).toEqual([
    ['snapshot', 'wip', 'stored', null, '1 files.'],
    ['run', 'main', 'failed', null, '2 of 5 tests failed.'],
    ['strength', 'src/a.js, src/b.js', 'pending', null, null],
    ['change', 'feature/x against main', 'running', null, null],
    ['verification', 'tests/cart.test.js', 'completed', 'accepted', 'It detects 3 of 4 mutants.'],
    ['generated_test', 'tests/cart.test.js', 'generated', null, 'That a cart adds up.'],
    ['suggestion', 'src/cart.js > total', 'open', null, 'That a cart adds up.'],
  ])
  for (const { by } of entries) expect(by).toEqual({ userId: user.id, name: 'Ada', token: null })
  expect(entries[4]?.endedAt).toEqual(expect.any(String))
  expect(entries[1]).toMatchObject({ source: 'api', subjectId: entries[1]?.id })
})

test('names the token that did it, until the token is deleted, and nobody for the code host', async () => {
  const { user, projectId, client, activity } = await setUp()
  const { id: runId } = await client.testRuns.trigger.mutate({ projectId })
  await client.tests.verify.mutate({ projectId, filePath: 'a.test.js', code: 'x' })
  await client.changes.verify.mutate({ projectId })
  await client.strength.measure.mutate({ projectId })
  await client.analysis.startAnalysis.mutate({ projectId })
  const { id } = await client.tokens.current.query()
  const by = { userId: user.id, name: 'Ada', token: { id, name: 'Test' } }
  const { entries } = await activity()
  expect(entries.map(({ kind }) => kind).toSorted()).toEqual(['analysis', 'change', 'run', 'strength', 'verification'])
  for (const entry of entries) expect(entry).toMatchObject({ by })

  await createRunFor(app, { projectId, userId: user.id, source: 'push' })
  expect((await activity({ limit: 1 })).entries).toMatchObject([{ kind: 'run', source: 'push', by: null }])
  const { cookie } = await createSessionFor(app, user)
  await app.dataSource.query('DELETE FROM api_tokens WHERE id = $1', [id])
  const response = await app.fetch(`/trpc/projects.activity`, {
    method: 'POST',
    cookie,
    headers: { 'content-type': 'application/json', origin: app.url },
    body: JSON.stringify({ projectId }),
  })
  const text = await response.text()
  expect(response.status).toBe(200)
  expect(text).toContain(runId)
  expect(text).not.toContain(id)
})

test('pages through everything without gaps or repetitions, also within one millisecond', async () => {
  const { activity, of } = await setUp()
  const at = new Date(Date.now() - 1_000)
  for (let index = 0; index < 9; index++) await createRunFor(app, { ...of, createdAt: at })
  for (let index = 0; index < 3; index++) {
    const fingerprint = `f${index}`
    await createSuggestionFor(app, { ...of, fingerprint, status: 'dismissed', resolvedAt: at, createdAt: at })
  }
  await createAll(of)
  const all = (await activity({ limit: 100 })).entries.map(({ id }) => id)
  expect(new Set(all).size).toBe(22)
  for (const limit of [1, 2, 5, 21, 22]) {
    const paged: string[] = []
    let before: string | undefined
    do {
      const page = await activity({ limit, ...(before === undefined ? {} : { before }) })
      expect(page.entries.length).toBeLessThanOrEqual(limit)
      paged.push(...page.entries.map(({ id }) => id))
      before = page.nextCursor ?? undefined
    } while (before !== undefined)
    expect(paged).toEqual(all)
  }
})

test('shows only the wanted kinds', async () => {
  const { activity, of } = await setUp()
  await createAll(of)
  expect((await activity({ kinds: ['run', 'change'] })).entries.map(({ kind }) => kind)).toEqual(['run', 'change'])
  for (const kind of ActivityKind.options.filter((each) => each !== 'analysis')) {
    expect((await activity({ kinds: [kind] })).entries).toMatchObject([{ kind }])
  }
})

test('a dismissal is an entry of its own, with who dismissed it; a repeated one changes nothing', async () => {
  const { user, projectId, client, activity, of } = await setUp()
  const maker = await createUser(app, { name: 'Bo' })
  const { id: suggestionId } = await createSuggestionFor(app, { projectId, userId: maker.id })
  const { id: generatedTestId } = await createGeneratedTestFor(app, { projectId, userId: maker.id, suggestionId })
  const { id: alone } = await createSuggestionFor(app, { ...of, fingerprint: 'alone' })
  await client.generatedTests.dismiss.mutate({ generatedTestId })
  await client.suggestions.dismiss.mutate({ suggestionId: alone })
  const first = await activity()
  await client.suggestions.dismiss.mutate({ suggestionId: alone })
  await client.suggestions.dismiss.mutate({ suggestionId })
  expect(await activity()).toEqual(first)
  const tokenId = (await client.tokens.current.query()).id
  const byAda = { userId: user.id, name: 'Ada', token: { id: tokenId, name: 'Test' } }
  const ends = first.entries.filter(({ id, subjectId }) => id !== subjectId)
  expect(ends.map(({ subjectId, status }) => [subjectId, status])).toEqual([
    [alone, 'dismissed'],
    ...[suggestionId, generatedTestId]
      .toSorted()
      .toReversed()
      .map((id) => [id, 'dismissed']),
  ])
  for (const end of ends) expect(end).toMatchObject({ by: byAda, at: end.endedAt, tokensUsed: null })
  const beginning = first.entries.find(({ id }) => id === suggestionId)
  expect(beginning).toMatchObject({ status: 'dismissed', by: { name: 'Bo', token: null }, endedAt: expect.any(String) })
})

test('an acceptance is an entry of its own, by the caller of the verification', async () => {
  const { user, activity, of, client } = await setUp()
  const { id: suggestionId } = await createSuggestionFor(app, of)
  const tokenId = (await client.tokens.current.query()).id
  const { id } = await createVerificationFor(app, { ...of, suggestionId, tokenId })
  const end = { status: 'completed', verdict: 'accepted', evidence } as const
  await inTransaction(contextFor(app), (tx) => endVerification(tx, { id }, end))
  const accepted = (await activity({ kinds: ['suggestion'] })).entries[0]
  expect(accepted).toMatchObject({
    subjectId: suggestionId,
    status: 'accepted',
    by: { userId: user.id, token: { id: tokenId } },
  })
})

test('counts the tokens of the model once for each call, and none for the mock', async () => {
  await using repository = await createGitRepository(rankedFiles(3))
  const { client, projectId } = await createAnalysedProject(app, repository)
  const tokens = async (kind: ActivityKind) =>
    (await client.projects.activity.query({ projectId, kinds: [kind] })).entries.map(({ tokensUsed }) => tokensUsed)
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  expect(await tokens('suggestion')).toEqual([null])

  const headers = { 'x-ai-model': 'm', 'x-ai-input-tokens': '1000', 'x-ai-output-tokens': '234' }
  const suggestion = (file_path: string) => ({
    file_path,
    test_type: 'unit',
    description: 'd',
    rationale: 'r',
    example_code: 'e',
  })
  const suggestions = [suggestion('src/f0.ts'), suggestion('src/f1.ts')]
  ai.answer = () => ({ headers, body: { commit_sha: '', summary: 's', suggestions, suggestion_count: 2 } })
  await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 2 })
  expect(await tokens('suggestion')).toEqual([1_234, null, null])

  const written = (file: string) => ({ name: 'n', file, code: `expect('${file}')`, coverage: 'c' })
  const tests = { unit_tests: [written('src/a.test.ts'), written('src/b.test.ts')] }
  ai.answer = () => ({ headers, body: { tests, coverage_estimate: 1, test_count: 2, execution_time: '0ms' } })
  const target = { path: 'src/f2.ts', symbol: 'f2' }
  await client.analysis.generateTests.mutate({ projectId, target, count: 2 })
  expect((await tokens('generated_test')).toSorted()).toEqual([1_234, null])
})

test('shows hostile text as one plain line of limited length', async () => {
  const { activity, of } = await setUp()
  const esc = String.fromCharCode(27)
  await createSuggestionFor(app, {
    ...of,
    filePath: `${esc}[31m<script>alert(1)</script>\n\r${'x'.repeat(400)}`,
    target: null,
    description: `First\nsecond. ${'y'.repeat(900)}`,
  })
  const [entry] = (await activity()).entries
  expect(entry?.title).toMatch(/^<script>alert\(1\)<\/script> +x+…$/)
  expect(entry?.title).toHaveLength(200)
  expect(entry?.outcome).toBe('First')
})

test('refuses foreign projects, wrong input and tokens without the scope', async () => {
  const { user, projectId, client, activity } = await setUp()
  const { id: foreign } = await createProjectFor(app)
  await expect(client.projects.activity.query({ projectId: foreign })).rejects.toThrow('No such project')
  for (const before of [
    'x',
    '2026-01-01T00:00:00.000Z',
    '+275760-01-01T00:00:00.000Z_A',
    '2026-02-30T00:00:00.000Z_A',
    '_',
  ]) {
    await expect(activity({ before })).rejects.toThrow('before: must be the nextCursor')
  }
  expect((await activity({ before: "2026-01-01T00:00:00.000Z_'; --" })).entries).toEqual([])
  await expect(activity({ kinds: [] })).rejects.toThrow('kinds: must not be empty')
  await expect(activity({ kinds: ['webhook' as never] })).rejects.toThrow('kinds')
  await expect(activity({ limit: 101 })).rejects.toThrow('limit: must be at most 100')
  const reader = app.client(await createTokenFor(app, { user, scopes: ['projects:read'] }))
  await expect(reader.projects.activity.query({ projectId })).rejects.toThrow('tests:read')
})
