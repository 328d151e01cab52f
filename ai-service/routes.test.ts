import { afterAll, beforeAll, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { AnalyzeResponse, GenerateTestsResponse, SuggestTestsResponse } from './schema.ts'
import { aCandidate, anAnalysis } from './testing/analysis.ts'
import { type ServedAiService, serve } from './testing/serve.ts'

let service: ServedAiService
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())

test('GET / returns name and version', async () => {
  const response = await service.get('/')
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    message: 'Assay AI service',
    version: packageJson.version,
    status: 'healthy',
  })
})

test('GET /health names the active provider and the time', async () => {
  const health: unknown = await (await service.get('/health')).json()
  expect(health).toEqual({ status: 'healthy', timestamp: expect.any(String), ai_provider: 'mock' })
  const { timestamp } = health as { timestamp: string }
  expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(10_000)
})

test('GET /provider names the active provider', async () => {
  expect(await (await service.get('/provider')).json()).toEqual({ provider: 'mock' })
})

test('POST /suggest-tests follows the ranking and answers in the format that core reads', async () => {
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  expect(response.status).toBe(200)
  const answer = SuggestTestsResponse.strict().parse(await response.json())
  expect(answer.commit_sha).toBe('a'.repeat(40))
  expect(answer.suggestion_count).toBe(2)
  expect(
    answer.suggestions.map((suggestion) => [suggestion.file_path, suggestion.test_type, suggestion.target]),
  ).toEqual([
    ['src/config.ts', 'unit', { symbol: 'parseConfig', startLine: 10, endLine: 42 }],
    ['src/routes/login.ts', 'integration', { symbol: 'LoginHandler.handle', startLine: 3, endLine: 42 }],
  ])
})

test('gives ten suggestions by default, or max_suggestions', async () => {
  const analysis = anAnalysis({
    testCandidates: Array.from({ length: 60 }, (_, index) => aCandidate({ symbol: `parse${index}` })),
  })
  const count = async (body: object) =>
    SuggestTestsResponse.parse(await (await service.post('/suggest-tests', { analysis, ...body })).json()).suggestions
      .length
  expect(await count({})).toBe(10)
  expect(await count({ max_suggestions: 1 })).toBe(1)
  expect(await count({ max_suggestions: 50 })).toBe(50)
})

test.each([
  [{}, /analysis: /],
  [{ analysis: { commitSha: 'x' } }, /analysis\.summary: /],
  [{ analysis: anAnalysis(), max_suggestions: 0 }, /max_suggestions: /],
  [{ analysis: anAnalysis(), max_suggestions: 51 }, /max_suggestions: /],
  [{ analysis: anAnalysis(), max_suggestions: 2.5 }, /max_suggestions: /],
  [{ analysis: anAnalysis(), max_suggestions: 'ten' }, /max_suggestions: /],
  ['{"analysis": ', /not valid JSON/],
  ['', /not valid JSON/],
  ['[]', /body: /],
])('malformed input to /suggest-tests is 500 ANALYSIS_FAILED and says what is wrong: %j', async (body, message) => {
  const response = await service.post('/suggest-tests', body)
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({
    error: 'Internal Server Error',
    message: expect.stringMatching(message),
    code: 'ANALYSIS_FAILED',
    requestId: response.headers.get('x-request-id'),
  })
})

test('unknown fields in an analysis are ignored', async () => {
  const analysis = { ...anAnalysis(), extra: { deep: [1, { x: null }] }, schemaVersion: 7 }
  expect((await service.post('/suggest-tests', { analysis, unknown: true })).status).toBe(200)
})

test('POST /analyze answers, marked as deprecated', async () => {
  const request = { repository_url: 'https://example.org/a.git', language: 'Go', framework: 'gin', branch: 'main' }
  const response = await service.post('/analyze', request)
  expect(response.status).toBe(200)
  expect(response.headers.get('deprecation')).toMatch(/^@\d+$/)
  expect(response.headers.get('link')).toBe('</suggest-tests>; rel="successor-version"')
  const sunset = Date.parse(response.headers.get('sunset') ?? '')
  const deprecated = Number(response.headers.get('deprecation')?.slice(1)) * 1_000
  expect(sunset - deprecated).toBeGreaterThanOrEqual(182 * 86_400_000)
  const answer = AnalyzeResponse.strict().parse(await response.json())
  expect(answer).toMatchObject({ ...request, deprecated: true })
  expect(answer.recommendations.join()).toContain('/suggest-tests')
})

test('POST /analyze requires a repository, and returns null for missing fields', async () => {
  const refused = await service.post('/analyze', { language: 'Go' })
  expect(refused.status).toBe(400)
  expect(refused.headers.get('deprecation')).not.toBeNull()
  expect(await refused.json()).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringMatching(/^repository_url/),
  })

  const answer: unknown = await (await service.post('/analyze', { repository_url: 'git@example.org:a.git' })).json()
  expect(answer).toMatchObject({ language: null, framework: null, branch: null })
})

test('POST /generate-tests groups tests by type', async () => {
  const response = await service.post('/generate-tests', {
    code_analysis: anAnalysis(),
    ai_provider: 'x',
    ai_model: 'y',
  })
  expect(response.status).toBe(200)
  const { tests, ...rest } = GenerateTestsResponse.strict().parse(await response.json())
  expect(rest).toEqual({ coverage_estimate: 100, test_count: 2, execution_time: '0ms' })
  expect(tests.unit_tests?.map((item) => item.file)).toEqual(['src/config.test.ts'])
  expect(tests.integration_tests?.map((item) => item.file)).toEqual(['src/routes/login.test.ts'])
  expect(tests.e2e_tests).toEqual([])
})

test.each([
  [{}, /^code_analysis: /],
  [{ code_analysis: 'text' }, /^code_analysis: /],
  [{ code_analysis: {}, test_type: 'performance' }, /^test_type: must be unit, integration, e2e or all/],
  ['{', /not valid JSON/],
])('POST /generate-tests refuses %j', async (body, message) => {
  const response = await service.post('/generate-tests', body)
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({
    error: 'Bad Request',
    message: expect.stringMatching(message),
    code: 'VALIDATION_ERROR',
  })
})

test('reports a failure of the provider without its details', async () => {
  const failing = async () => {
    throw new Error('upstream said: key sk-secret is out of credit')
  }
  const provider = { name: 'mock' as const, suggestTests: failing, generateTests: failing, analyze: failing }
  await using broken = await serve({}, { provider })

  const suggested = await broken.post('/suggest-tests', { analysis: anAnalysis() })
  expect(suggested.status).toBe(500)
  expect(await suggested.json()).toEqual({
    error: 'Internal Server Error',
    message: 'mock failed to suggest tests. Try again, or see the log of the AI service.',
    code: 'ANALYSIS_FAILED',
    requestId: suggested.headers.get('x-request-id'),
  })
  const generated = await broken.post('/generate-tests', { code_analysis: {} })
  expect(generated.status).toBe(500)
  expect(await generated.json()).toMatchObject({ code: 'INTERNAL_ERROR', requestId: expect.any(String) })
})

test('an invalid answer of the provider is reported as its failure', async () => {
  const provider = {
    name: 'mock' as const,
    suggestTests: async () => ({ summary: 'fine', suggestions: [{ file_path: 'a.ts' }] }) as never,
    generateTests: async () => ({}) as never,
    analyze: async () => ({}) as never,
  }
  await using broken = await serve({}, { provider })
  expect(await (await broken.post('/suggest-tests', { analysis: anAnalysis() })).json()).toMatchObject({
    code: 'ANALYSIS_FAILED',
  })
  expect((await broken.post('/analyze', { repository_url: 'x' })).status).toBe(500)
})
