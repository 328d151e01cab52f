import { expect, test } from 'vitest'
import { z } from 'zod'
import { AnalyzeResponse, GenerateTestsResponse, SuggestTestsResponse } from '../schema.ts'
import { anAnalysis } from '../testing/analysis.ts'
import { aSuggestion, aTest, generating, suggesting } from '../testing/answers.ts'
import {
  keyOf,
  openModelServer,
  openRawServer,
  providers,
  sendJson,
  serveWith,
  wireAnswer,
} from '../testing/model-server.ts'
import { serve } from '../testing/serve.ts'

const Sent = z.looseObject({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
})
const sentBy = (request: { body: string } | undefined) => Sent.parse(JSON.parse(request?.body ?? ''))

test.each([
  ['provider_a', 'gpt-6.1-terra', { reasoning_effort: 'low', max_completion_tokens: 16_000 }, '0.002000'],
  ['provider_b', 'claude-sonnet-5-5', { max_tokens: 16_000 }, '0.004000'],
] as const)('%s asks %s in its own wire format, and tells what it cost', async (provider, name, request, cost) => {
  await using model = await openRawServer((response) =>
    sendJson(response, 200, wireAnswer(provider, suggesting(aSuggestion()))),
  )
  await using service = await serveWith(provider, model.url)
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  expect(SuggestTestsResponse.strict().parse(await response.json())).toEqual({
    commit_sha: 'a'.repeat(40),
    summary: 'Config first.',
    suggestion_count: 1,
    suggestions: [
      {
        file_path: 'src/config.ts',
        test_type: 'unit',
        description: 'An empty text gives the defaults.',
        rationale: 'It branches often.',
        example_code: "import { expect, test } from 'vitest'\n",
        target: { symbol: 'parseConfig', startLine: 10, endLine: 42 },
      },
    ],
    warnings: [],
  })
  expect(sentBy(model.requests[0])).toMatchObject({ model: name, ...request })
  expect(model.requests[0]?.body).toContain('json_schema')
  expect(model.requests[0]?.body).toContain('additionalProperties')
  const headers = model.requests[0]?.headers
  expect(headers?.['authorization'] ?? headers?.['x-api-key']).toContain(keyOf(provider))
  expect(Object.fromEntries([...response.headers].filter(([key]) => key.startsWith('x-ai-')))).toEqual({
    'x-ai-provider': provider,
    'x-ai-model': name,
    'x-ai-input-tokens': '1000',
    'x-ai-output-tokens': '200',
    'x-ai-cost-usd': cost,
  })
  expect(service.log()).toContain('"inputTokens":1000,"outputTokens":200')
  expect(service.log()).toContain('"prompt":"suggest-tests.v2"')
  expect(service.log()).not.toContain(keyOf(provider))
})

test.each(providers)('%s: an omitted symbol needs no second request', async (provider) => {
  const answers = [
    suggesting(aSuggestion({ symbol: undefined })),
    generating(aTest({ target_symbol: undefined })),
    suggesting(aSuggestion({ symbol: null })),
  ]
  await using model = await openRawServer((response) =>
    sendJson(response, 200, wireAnswer(provider, answers[model.requests.length - 1] ?? '')),
  )
  await using service = await serveWith(provider, model.url)
  const suggested = await (await service.post('/suggest-tests', { analysis: anAnalysis() })).json()
  expect(suggested).toMatchObject({ suggestion_count: 1, warnings: [] })
  const generated = await service.post('/generate-tests', {
    code_analysis: anAnalysis(),
    target: { path: 'src/config.ts' },
  })
  expect(await generated.json()).toMatchObject({ test_count: 1 })
  expect(await (await service.post('/suggest-tests', { analysis: anAnalysis() })).json()).toEqual(suggested)
  expect(model.requests).toHaveLength(3)
  // It is requested nevertheless.
  expect(model.requests[0]?.body).toContain('"required":["file_path","symbol",')
})

test.each(providers)('%s: a model and its limits are settings, and an unknown price is no header', async (provider) => {
  await using model = await openRawServer((response) =>
    sendJson(response, 200, wireAnswer(provider, suggesting(aSuggestion()))),
  )
  const name = provider.toUpperCase()
  await using service = await serveWith(provider, model.url, {
    [`${name}_MODEL`]: 'qwen4:8b',
    [`${name}_OUTPUT_TOKENS`]: '1234',
  })
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  expect(sentBy(model.requests[0])).toMatchObject({ model: 'qwen4:8b', max_tokens: 1_234 })
  expect(model.requests[0]?.body).not.toContain('effort')
  expect(response.headers.get('x-ai-model')).toBe('qwen4:8b')
  expect(response.headers.get('x-ai-cost-usd')).toBeNull()
})

test.each(providers)('%s: a server that takes no schema is asked without one, from then on', async (provider) => {
  await using model = await openRawServer((response, _request, body) => {
    const refused = body.includes('"response_format"') || body.includes('"output_config"')
    if (refused) sendJson(response, 400, { error: { message: 'unknown field' } })
    else sendJson(response, 200, wireAnswer(provider, suggesting(aSuggestion())))
  })
  await using service = await serveWith(provider, model.url)
  expect((await service.post('/suggest-tests', { analysis: anAnalysis() })).status).toBe(200)
  const first = model.requests.length
  expect(sentBy(model.requests.at(-1)).messages.length).toBeGreaterThan(0)
  expect(model.requests.at(-1)?.body).toContain('It fits this JSON schema')
  expect((await service.post('/suggest-tests', { analysis: anAnalysis() })).status).toBe(200)
  expect(model.requests).toHaveLength(first + 1)
})

test.each(providers)('%s: what is refused in every form is logged as it was refused first', async (provider) => {
  let asked = 0
  await using model = await openRawServer((response) =>
    sendJson(response, 400, { error: { message: `the prompt is too long (${++asked})` } }),
  )
  await using service = await serveWith(provider, model.url)
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  const name = provider.toUpperCase()
  expect(await response.json()).toMatchObject({
    message: `${provider} refused the request (400). Check ${name}_MODEL and ${name}_INPUT_TOKENS. The log of the AI service has its message.`,
  })
  expect(service.log()).toContain('too long (1)')
})

test.each(providers)('%s: an unknown model is told with the setting', async (provider) => {
  await using model = await openModelServer()
  model.on({ userMessage: /./ }, { error: { message: 'no such model' }, status: 404 })
  await using service = await serveWith(provider, model.url, { [`${provider.toUpperCase()}_MODEL`]: 'gpt-next' })
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  expect(await response.json()).toMatchObject({
    code: 'ANALYSIS_FAILED',
    message: expect.stringContaining('does not know the model gpt-next or the address'),
  })
})

test.each(providers)('%s: POST /generate-tests answers in the shape core reads', async (provider) => {
  await using model = await openModelServer()
  model.onMessage(/./, {
    content: generating(aTest(), aTest({ file: 'src/config.limits.test.ts', test_type: 'integration' })),
  })
  await using service = await serveWith(provider, model.url)
  const response = await service.post('/generate-tests', {
    code_analysis: anAnalysis(),
    target: { path: 'src/config.ts', symbol: 'parseConfig' },
    count: 2,
    sources: [{ path: 'src/config.ts', content: 'export const parseConfig = (text: string) => ({})' }],
    style_examples: [{ path: 'src/other.test.ts', content: "import { test } from 'vitest'" }],
  })
  const answer = GenerateTestsResponse.strict().parse(await response.json())
  expect(answer).toMatchObject({
    test_count: 2,
    coverage_estimate: 50,
    execution_time: expect.stringMatching(/^\d+ms$/),
  })
  expect(answer.tests.unit_tests).toEqual([
    {
      name: 'parseConfig takes defaults',
      file: 'src/config.defaults.test.ts',
      code: aTest().code,
      coverage: 'A lost default.',
      framework: 'vitest',
      target: { path: 'src/config.ts', symbol: 'parseConfig', startLine: 10, endLine: 42 },
    },
  ])
  expect(answer.tests.integration_tests).toHaveLength(1)
  const prompt = JSON.stringify(model.getLastRequest()?.body)
  expect(prompt).toContain('suggested file: src/config.parse-config.test.ts, framework: vitest')
  expect(prompt).toContain("Import `describe`, `expect`, `test` and `vi` from 'vitest'")
})

test.each(providers)('%s: a test never takes the place of a file that is there', async (provider) => {
  await using model = await openModelServer()
  model.onMessage(/./, { content: generating(aTest({ file: 'src/config.test.ts' })) })
  await using service = await serveWith(provider, model.url)
  const response = await service.post('/generate-tests', {
    code_analysis: anAnalysis(),
    target: { path: 'src/config.ts', symbol: 'parseConfig' },
  })
  const answer = GenerateTestsResponse.parse(await response.json())
  expect(answer.tests.unit_tests?.map(({ file }) => file)).toEqual(['src/config.parse-config.test.ts'])
})

test.each(providers)('%s: knowledge in another form than an analysis is passed on', async (provider) => {
  await using model = await openModelServer()
  model.onMessage(/./, { content: generating(aTest({ file: 'test/cart.test.js', target_path: 'cart.js' })) })
  await using service = await serveWith(provider, model.url)
  const response = await service.post('/generate-tests', { code_analysis: { note: 'a shopping cart in cart.js' } })
  expect(GenerateTestsResponse.parse(await response.json()).test_count).toBe(1)
  expect(JSON.stringify(model.getLastRequest()?.body)).toContain('a shopping cart in cart.js')
})

test.each(providers)('%s: POST /analyze answers without the credentials of an address', async (provider) => {
  await using model = await openModelServer()
  model.onMessage(/./, { content: JSON.stringify({ summary: 'A Go service.', recommendations: ['Start small.'] }) })
  await using service = await serveWith(provider, model.url)
  const response = await service.post('/analyze', {
    repository_url: 'https://me:hunter2@example.org/a.git',
    language: 'Go',
  })
  expect(AnalyzeResponse.parse(await response.json())).toMatchObject({
    summary: 'A Go service.',
    recommendations: ['Start small.'],
    deprecated: true,
  })
  expect(JSON.stringify(model.getLastRequest()?.body)).not.toContain('hunter2')
})

test('the mock reports its name and no token counts', async () => {
  await using service = await serve()
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  expect(response.headers.get('x-ai-provider')).toBe('mock')
  expect(response.headers.get('x-ai-input-tokens')).toBeNull()
})
