import { expect, test } from 'vitest'
import { readAiConfig } from './config.ts'

test('an empty environment is the mock on port 8000 of the loopback interface', () => {
  expect(readAiConfig({}).config).toMatchObject({
    host: '127.0.0.1',
    port: 8000,
    provider: 'mock',
    secret: undefined,
    logLevel: 'info',
  })
})

test('a setting that is present but empty counts as absent', () => {
  const { config } = readAiConfig({ AI_PORT: '', AI_PROVIDER: '', PROVIDER_A_API_KEY: '', AI_SERVICE_SECRET: '' })
  expect(config).toMatchObject({ port: 8000, provider: 'mock', secret: undefined })
})

test('settings of both providers are kept for their clients', () => {
  const { config } = readAiConfig({
    AI_PROVIDER: 'mock',
    PROVIDER_A_API_KEY: 'key-a',
    PROVIDER_A_MODEL: 'model-a',
    PROVIDER_A_BASE_URL: 'http://127.0.0.1:11434/v1',
    PROVIDER_B_API_KEY: 'key-b',
  })
  expect(config?.access).toEqual({
    provider_a: { apiKey: 'key-a', model: 'model-a', baseUrl: 'http://127.0.0.1:11434/v1' },
    provider_b: { apiKey: 'key-b', model: undefined, baseUrl: undefined },
  })
})

test('everything wrong is named at once', () => {
  const { problems } = readAiConfig({
    AI_PORT: '70000',
    AI_PROVIDER: 'openai',
    PROVIDER_A_BASE_URL: 'ftp://example.org',
    AI_SERVICE_SECRET: 'two words',
    LOG_LEVEL: 'loud',
  })
  expect(problems).toEqual([
    'AI_PORT must be at most 65535',
    'AI_PROVIDER must be one of provider_a, provider_b, mock',
    'PROVIDER_A_BASE_URL must be an http or https address',
    'AI_SERVICE_SECRET must be printable ASCII without spaces, since it travels in a header',
    'LOG_LEVEL must be a pino level such as info',
  ])
})

test.each(['eight thousand', '80.5', '-1'])('%s is no port', (port) => {
  expect(readAiConfig({ AI_PORT: port }).problems[0]).toMatch(/^AI_PORT must be/)
})

test('a chosen provider without its key is a problem', () => {
  expect(readAiConfig({ AI_PROVIDER: 'provider_b', PROVIDER_A_API_KEY: 'key-a' }).problems).toContain(
    'AI_PROVIDER is provider_b, but PROVIDER_B_API_KEY is not set',
  )
})

test.each([
  [{ PROVIDER_A_API_KEY: 'key-a' }, 'provider_a is selected by PROVIDER_A_API_KEY'],
  [{ PROVIDER_B_API_KEY: 'key-b' }, 'provider_b is selected by PROVIDER_B_API_KEY'],
  [{ AI_PROVIDER: 'provider_a', PROVIDER_A_API_KEY: 'key-a' }, 'provider_a is selected by AI_PROVIDER'],
])('a provider without a client in this release is refused: %o', (environment, reason) => {
  expect(readAiConfig(environment).problems).toEqual([
    `${reason}, but this release only has mock: set AI_PROVIDER=mock`,
  ])
})

test('no problem repeats a key', () => {
  const key = 'sk-very-secret'
  const { problems } = readAiConfig({ PROVIDER_A_API_KEY: key, PROVIDER_B_API_KEY: `${key} with a space` })
  expect(problems.length).toBeGreaterThan(0)
  expect(problems.join()).not.toContain(key)
})
