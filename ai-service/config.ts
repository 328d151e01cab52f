import { z } from 'zod'
import { selectProvider } from './providers/select.ts'
import { ProviderName } from './schema.ts'

const baseUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional()
const name = z.string().max(200).optional()
const tokens = z.coerce
  .number('must be a number of tokens')
  .int('must be a whole number of tokens')
  .min(1_000, 'must be at least 1000 tokens')
  .max(1_000_000, 'must be at most 1000000 tokens')
  .optional()
const credential = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces, because it is sent in a header')
  .optional()

const Environment = z.object({
  AI_PORT: z.coerce
    .number('must be a port number')
    .int('must be a port number')
    .min(0, 'must be 0 or more')
    .max(65_535, 'must be at most 65535')
    .default(8000),
  AI_PROVIDER: z.enum(ProviderName.options, `must be one of ${ProviderName.options.join(', ')}`).optional(),
  PROVIDER_A_API_KEY: credential,
  PROVIDER_B_API_KEY: credential,
  PROVIDER_A_MODEL: name,
  PROVIDER_B_MODEL: name,
  PROVIDER_A_BASE_URL: baseUrl,
  PROVIDER_B_BASE_URL: baseUrl,
  PROVIDER_A_INPUT_TOKENS: tokens,
  PROVIDER_B_INPUT_TOKENS: tokens,
  PROVIDER_A_OUTPUT_TOKENS: tokens,
  PROVIDER_B_OUTPUT_TOKENS: tokens,
  /** The timeout of core. A later answer would cost money and never be read. */
  AI_TIMEOUT_SECONDS: z.coerce.number('must be a number of seconds').positive('must be more than 0').default(45),
  AI_RECORD: z.string().max(1_024).optional(),
  AI_REPLAY: z.string().max(1_024).optional(),
  AI_SERVICE_SECRET: credential,
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a pino level such as info')
    .default('info'),
})

/** The settings of a provider's client, which has its own defaults. */
export interface ProviderAccess {
  apiKey: string | undefined
  model: string | undefined
  baseUrl: string | undefined
  /** The maximum tokens of a prompt and of an answer; undefined for the default of the model. */
  inputTokens: number | undefined
  outputTokens: number | undefined
}

export interface AiConfig {
  /** Always loopback, because the routes may need no credential. */
  host: '127.0.0.1'
  /** 0 chooses a free port. */
  port: number
  provider: ProviderName
  access: Record<'provider_a' | 'provider_b', ProviderAccess>
  /** For one answer, including waits, retries and repairs. */
  timeLimitMs: number
  /** The folder that answers of the provider are recorded in or replayed from. */
  recordTo: string | undefined
  replayFrom: string | undefined
  /** Shared with core; undefined leaves the routes open. */
  secret: string | undefined
  logLevel: string
}

export type AiConfigResult = { config: AiConfig; problems: [] } | { config?: undefined; problems: string[] }

/** Reads the environment and reports all problems at once. An empty setting counts as absent. */
export function readAiConfig(environment: NodeJS.ProcessEnv = process.env): AiConfigResult {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    return { problems: parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) }
  }

  const env = parsed.data
  const access = {
    provider_a: {
      apiKey: env.PROVIDER_A_API_KEY,
      model: env.PROVIDER_A_MODEL,
      baseUrl: env.PROVIDER_A_BASE_URL,
      inputTokens: env.PROVIDER_A_INPUT_TOKENS,
      outputTokens: env.PROVIDER_A_OUTPUT_TOKENS,
    },
    provider_b: {
      apiKey: env.PROVIDER_B_API_KEY,
      model: env.PROVIDER_B_MODEL,
      baseUrl: env.PROVIDER_B_BASE_URL,
      inputTokens: env.PROVIDER_B_INPUT_TOKENS,
      outputTokens: env.PROVIDER_B_OUTPUT_TOKENS,
    },
  }
  const selected = selectProvider(env)
  const problems: string[] = []
  if (env.AI_RECORD && env.AI_REPLAY) problems.push('AI_RECORD and AI_REPLAY cannot be set together: set one of them')
  if (selected.name !== 'mock' && !env.AI_REPLAY && needsKey(access[selected.name])) {
    problems.push(`AI_PROVIDER is ${selected.name}, but ${selected.name.toUpperCase()}_API_KEY is not set`)
  }
  if (problems.length > 0) return { problems }

  return {
    problems: [],
    config: {
      host: '127.0.0.1',
      port: env.AI_PORT,
      provider: selected.name,
      access,
      timeLimitMs: withinCoresPatience(env.AI_TIMEOUT_SECONDS),
      recordTo: env.AI_RECORD,
      replayFrom: env.AI_REPLAY,
      secret: env.AI_SERVICE_SECRET,
      logLevel: env.LOG_LEVEL,
    },
  }
}

/** Servers on the user's machine usually need no key. */
const needsKey = ({ apiKey, baseUrl }: ProviderAccess) => apiKey === undefined && baseUrl === undefined

/** Leaves a tenth of the time, at most two seconds, for the network. */
const withinCoresPatience = (seconds: number) => Math.round(seconds * 1_000 - Math.min(2_000, seconds * 100))
