import { expect, test } from 'vitest'
import { readAiConfig } from './config.ts'

test('an empty environment gives the mock on port 8000 of the loopback interface', () => {
  expect(readAiConfig({}).config).toMatchObject({
    host: '127.0.0.1',
    port: 8000,
    provider: 'mock',
    secret: undefined,
    logLevel: 'info',
  })
})

test('an empty setting counts as absent', () => {
  const { config } = readAiConfig({ AI_PORT: '', AI_PROVIDER: '', PROVIDER_A_API_KEY: '', AI_SERVICE_SECRET: '' })
  expect(config).toMatchObject({ port: 8000, provider: 'mock', secret: undefined })
})

test('the settings of both providers are passed to their clients', () => {
  const { config } = readAiConfig({
    AI_PROVIDER: 'mock',
    PROVIDER_A_API_KEY: 'key-a',
    PROVIDER_A_MODEL: 'model-a',
    PROVIDER_A_BASE_URL: 'http://127.0.0.1:11434/v1',
    PROVIDER_A_INPUT_TOKENS: '8000',
    PROVIDER_B_API_KEY: 'key-b',
  })
  expect(config?.access).toEqual({
    provider_a: {
      apiKey: 'key-a',
      model: 'model-a',
      baseUrl: 'http://127.0.0.1:11434/v1',
      inputTokens: 8_000,
      outputTokens: undefined,
    },
    provider_b: {
      apiKey: 'key-b',
      model: undefined,
      baseUrl: undefined,
      inputTokens: undefined,
      outputTokens: undefined,
    },
  })
})

test('all problems are reported at once', () => {
  const { problems } = readAiConfig({
    AI_PORT: '70000',
    AI_PROVIDER: 'openai',
    PROVIDER_A_BASE_URL: 'ftp://example.org',
    AI_SERVICE_SECRET: 'two words',
    AI_TIMEOUT_SECONDS: 'soon',
    LOG_LEVEL: 'loud',
  })
  expect(problems).toEqual([
    'AI_PORT must be at most 65535',
    'AI_PROVIDER must be one of provider_a, provider_b, mock',
    'PROVIDER_A_BASE_URL must be an http or https address',
    'AI_TIMEOUT_SECONDS must be a number of seconds',
    'AI_SERVICE_SECRET must be printable ASCII without spaces, because it is sent in a header',
    'LOG_LEVEL must be a pino level such as info',
  ])
})

test.each(['eight thousand', '80.5', '-1'])('%s is not a port', (port) => {
  expect(readAiConfig({ AI_PORT: port }).problems[0]).toMatch(/^AI_PORT must be/)
})

test('a chosen provider without its key is a problem', () => {
  expect(readAiConfig({ AI_PROVIDER: 'provider_b', PROVIDER_A_API_KEY: 'key-a' }).problems).toContain(
    'AI_PROVIDER is provider_b, but PROVIDER_B_API_KEY is not set',
  )
})

test('a custom server needs no key, and neither do recordings', () => {
  const ownServer = { AI_PROVIDER: 'provider_a', PROVIDER_A_BASE_URL: 'http://127.0.0.1:11434/v1' }
  expect(readAiConfig(ownServer).config).toMatchObject({ provider: 'provider_a' })
  expect(readAiConfig({ AI_PROVIDER: 'provider_b', AI_REPLAY: 'recordings' }).config).toMatchObject({
    provider: 'provider_b',
    replayFrom: 'recordings',
  })
})

test('recording and replaying together is refused', () => {
  expect(readAiConfig({ AI_RECORD: 'a', AI_REPLAY: 'a' }).problems).toEqual([
    'AI_RECORD and AI_REPLAY cannot be set together: set one of them',
  ])
})

test.each([
  ['45', 43_000],
  ['5', 4_500],
  ['300', 298_000],
])('with AI_TIMEOUT_SECONDS=%s, an answer may take %i ms', (seconds, timeLimitMs) => {
  expect(readAiConfig({ AI_TIMEOUT_SECONDS: seconds }).config).toMatchObject({ timeLimitMs })
})

test.each(['none', '999', '1000001', '2000.5'])('%s is not a token limit', (tokens) => {
  expect(readAiConfig({ PROVIDER_A_INPUT_TOKENS: tokens }).problems[0]).toMatch(/^PROVIDER_A_INPUT_TOKENS must be/)
})

test('no problem contains a key', () => {
  const key = 'sk-very-secret'
  const { problems } = readAiConfig({ PROVIDER_A_API_KEY: key, PROVIDER_B_API_KEY: `${key} with a space` })
  expect(problems.length).toBeGreaterThan(0)
  expect(problems.join()).not.toContain(key)
})
