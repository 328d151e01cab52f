import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAiService } from '../../ai-service/app.ts'
import { readAiConfig } from '../../ai-service/config.ts'
import { startMockAi } from '../testing/ai-service.ts'
import { coreFailure } from '../../client/core-client.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'

let app: TestApp
let mockAi: Awaited<ReturnType<typeof startMockAi>>
beforeAll(async () => {
  mockAi = await startMockAi()
  app = await createTestApp({ ai: mockAi.ai })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await mockAi[Symbol.asyncDispose]()
})

async function setUp(on: TestApp, repository = 'https://example.com/x') {
  const user = await createUser(on)
  const project = await createProjectFor(on, { user, repository })
  return { projectId: project.id, client: on.client(await createTokenFor(on, { user })) }
}

const plain: AnalysisResult = {
  commitSha: 'c'.repeat(40),
  summary: { totalFiles: 1, languages: { Go: 1 }, frameworks: [], hasTests: false, testFrameworks: [] },
  files: [{ path: 'main.go', size: 10, extension: '.go', language: 'Go' }],
  directories: [],
  packageInfo: { name: 'x' },
}

test('suggests tests for files and symbols of the latest analysis', async () => {
  await using repository = await createGitRepository({
    'package.json': '{"name":"x","devDependencies":{"vitest":"5"}}',
    'src/a.ts': 'export function a(x: number) {\n  return x > 0 ? 1 : x < -5 ? 2 : 3\n}\n',
  })
  const { projectId, client } = await setUp(app, repository.path)
  const { commitSha } = await client.analysis.analyzeRepository.mutate({ projectId })
  const answer = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  expect(answer).toMatchObject({ success: true, commitSha, suggestionCount: 1, summary: expect.any(String) })
  expect(answer.url).toBe(`${app.config.baseUrl}/projects/${projectId}/suggestions?tab=suggestions`)
  const { suggestions } = await client.suggestions.list.query({ projectId })
  expect(suggestions[0]?.url).toBe(`${answer.url}&open=${suggestions[0]?.id}`)
  expect(answer.suggestions[0]).toMatchObject({
    file_path: 'src/a.ts',
    test_type: 'unit',
    target: { symbol: 'a', startLine: 1, endLine: 3 },
    example_code: expect.stringContaining('vitest'),
  })
})

test('analyzes a project without an analysis once for concurrent calls', async () => {
  await using repository = await createGitRepository({ 'a.ts': 'export const a = (x: number) => (x > 0 ? 1 : 2)\n' })
  const { projectId, client } = await setUp(app, repository.path)
  const impatient = () =>
    client.analysis.suggestTests.mutate({ projectId, waitSeconds: 0 }).catch((error: unknown) => coreFailure(error))
  const refusals = await Promise.all([impatient(), impatient()])
  const analyses = await client.projects.getProjectAnalyses.query({ projectId })
  expect(analyses).toHaveLength(1)
  const hint = { kind: 'analysis_running', analysisId: analyses[0]?.id }
  expect(refusals).toMatchObject([
    { code: 'CONFLICT', hint },
    { code: 'CONFLICT', hint },
  ])
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId })
  expect(suggestions).toMatchObject([{ file_path: 'a.ts' }])
  expect(await client.projects.getProjectAnalyses.query({ projectId })).toMatchObject([{ status: 'completed' }])
})

test('reports the failure of the first analysis', async () => {
  const { projectId, client } = await setUp(app, '/no/such/repository')
  await expect(client.analysis.suggestTests.mutate({ projectId })).rejects.toThrow(
    'Assay could not analyze the repository',
  )
})

test('uses an analysis that the caller sends', async () => {
  const { projectId, client } = await setUp(app)
  const answer = await client.analysis.suggestTests.mutate({ projectId, analysisOverride: plain })
  expect(answer).toMatchObject({ commitSha: plain.commitSha, suggestions: [{ file_path: 'main.go' }] })
})

test.each([
  [{ commitSha: plain.commitSha, behind: 0, measuredFiles: 1, changedFiles: 0, goneFiles: 0 }, /^Tests run every line/],
  [null, /^The repository has 1 file, and Assay ranks no function in it/],
])('guesses nothing for code that is ranked, with the coverage %j', async (coverage, summary) => {
  const { projectId, client } = await setUp(app)
  const analysisOverride = { ...plain, summary: { ...plain.summary, coverage }, testCandidates: [] }
  const answer = await client.analysis.suggestTests.mutate({ projectId, analysisOverride })
  expect(answer).toMatchObject({ suggestions: [], summary: expect.stringMatching(summary) })
  // Assay does not parse Swift.
  const files = [{ path: 'main.swift', size: 10, extension: '.swift', language: 'Swift' }]
  const guessed = await client.analysis.suggestTests.mutate({
    projectId,
    analysisOverride: { ...analysisOverride, files },
  })
  expect(guessed, 'Assay does not parse Swift').toMatchObject({ suggestions: [{ file_path: 'main.swift' }] })
})

test.each([0, 51, 1.5, 'ten'])('rejects %j as maxSuggestions', async (maxSuggestions) => {
  const { projectId, client } = await setUp(app)
  await expect(
    client.analysis.suggestTests.mutate({ projectId, maxSuggestions: maxSuggestions as number }),
  ).rejects.toThrow(/^maxSuggestions:/)
})

test.each([
  ['provider_a', 401, 'provider_a refused the key (401). Check PROVIDER_A_API_KEY.'],
  ['provider_b', 403, 'provider_b refused the key (403). Check PROVIDER_B_API_KEY.'],
  ['provider_a', 400, 'provider_a refused the request (400). Check PROVIDER_A_MODEL'],
  ['provider_b', 404, 'provider_b does not know the model'],
] as const)('names the setting, but not the key, if %s answers %i and repeats the key', async (name, status, words) => {
  const key = 'a-Key.of/0123456789'
  const asked: string[] = []
  const provider = createServer((req, res) => {
    asked.push(JSON.stringify(req.headers))
    const body = {
      error: { type: 'authentication_error', message: `Incorrect API key provided: ${key} (${btoa(key)})` },
    }
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((done) => void provider.listen(0, '127.0.0.1', done))
  const address = provider.address()
  const { config } = readAiConfig({
    AI_PORT: '0',
    AI_PROVIDER: name,
    [`${name.toUpperCase()}_API_KEY`]: key,
    [`${name.toUpperCase()}_BASE_URL`]: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    LOG_LEVEL: 'silent',
  })
  if (!config) throw new Error('wrong settings')
  await using service = createAiService(config)
  try {
    const url = `http://127.0.0.1:${await service.listen()}`
    await using other = await createTestApp({ role: 'web', ai: { url, secret: undefined, timeoutMs: 60_000 } })
    const { projectId, client } = await setUp(other)
    const failure = await client.analysis.suggestTests
      .mutate({ projectId, analysisOverride: plain })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({
      message: expect.stringContaining(`The AI service failed: ${words}`),
      data: { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500 },
    })
    expect(asked.join()).toContain(key)
    const error = `${String(failure)} ${JSON.stringify(failure)}`
    for (const hidden of [key, btoa(key), 'Incorrect']) expect(error).not.toContain(hidden)
  } finally {
    provider.closeAllConnections()
    provider.close()
  }
})

test('says what to do if the AI service is down, refuses, hangs, disconnects or answers nonsense', async () => {
  const behaviours: Record<string, (end: (status: number, body: string) => void) => void> = {
    '/refuses/suggest-tests': (end) => end(401, '{}'),
    '/fails/suggest-tests': (end) => end(500, '{"message":"secret of the service"}'),
    '/defect/suggest-tests': (end) => end(500, '{"code":"INTERNAL_ERROR","message":"secret of the service"}'),
    '/long/suggest-tests': (end) =>
      end(500, JSON.stringify({ code: 'ANALYSIS_FAILED', message: `secret of the service ${'x'.repeat(5_000)}` })),
    '/nonsense/suggest-tests': (end) => end(200, '{"suggestions":5}'),
    '/prose/suggest-tests': (end) => end(200, 'Certainly!'),
    '/redirects/suggest-tests': (end) => end(302, ''),
    '/huge/suggest-tests': (end) => end(200, `"${'x'.repeat(9_000_000)}"`),
    '/hangs/suggest-tests': () => {},
  }
  const server = createServer((req, res) => {
    behaviours[req.url ?? '']?.((status, body) => res.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body))
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const expected: [string, string, string][] = [
    [`${base}/refuses`, 'INTERNAL_SERVER_ERROR', 'AI_SERVICE_SECRET'],
    [`${base}/fails`, 'INTERNAL_SERVER_ERROR', 'status 500'],
    [`${base}/defect`, 'INTERNAL_SERVER_ERROR', 'status 500'],
    [`${base}/long`, 'INTERNAL_SERVER_ERROR', 'status 500'],
    [`${base}/nonsense`, 'INTERNAL_SERVER_ERROR', 'unknown format'],
    [`${base}/prose`, 'INTERNAL_SERVER_ERROR', 'unknown format'],
    [`${base}/redirects`, 'INTERNAL_SERVER_ERROR', 'AI_SERVICE_URL'],
    [`${base}/huge`, 'INTERNAL_SERVER_ERROR', '8 MiB'],
    ['http://127.0.0.1:1', 'INTERNAL_SERVER_ERROR', 'npm start'],
    [`${base}/hangs`, 'TIMEOUT', 'AI_TIMEOUT_SECONDS'],
  ]
  try {
    await using other = await createTestApp({ role: 'web' })
    const { projectId, client } = await setUp(other)
    for (const [url, code, words] of expected) {
      other.config.ai = { url, secret: mockAi.ai.secret, timeoutMs: code === 'TIMEOUT' ? 500 : 60_000 }
      const failure = await client.analysis.suggestTests
        .mutate({ projectId, analysisOverride: plain })
        .catch((error) => error)
      expect([url, failure.data.code, failure.message]).toEqual([url, code, expect.stringContaining(words)])
      expect(failure.data.httpStatus).toBe(code === 'TIMEOUT' ? 504 : 500)
      expect(failure.message).not.toContain('secret of the service')
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
