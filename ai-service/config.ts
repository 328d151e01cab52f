import { z } from 'zod'
import { isAvailable, selectProvider } from './providers/select.ts'
import { ProviderName } from './schema.ts'

const baseUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional()
const name = z.string().max(200).optional()
const credential = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces, since it travels in a header')
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
  AI_SERVICE_SECRET: credential,
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a pino level such as info')
    .default('info'),
})

/** What a provider's client needs; the client knows its own defaults. */
export interface ProviderAccess {
  apiKey: string | undefined
  model: string | undefined
  baseUrl: string | undefined
}

export interface AiConfig {
  /** Loopback, always: the routes need no credential. */
  host: '127.0.0.1'
  /** 0 takes any free one. */
  port: number
  provider: ProviderName
  access: Record<'provider_a' | 'provider_b', ProviderAccess>
  /** Shared with core; undefined leaves the routes open. */
  secret: string | undefined
  logLevel: string
}

export type AiConfigResult = { config: AiConfig; problems: [] } | { config?: undefined; problems: string[] }

/** Reads the environment and names everything wrong at once. A setting that is present but empty counts as absent. */
export function readAiConfig(environment: NodeJS.ProcessEnv = process.env): AiConfigResult {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    return { problems: parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) }
  }

  const env = parsed.data
  const access = {
    provider_a: { apiKey: env.PROVIDER_A_API_KEY, model: env.PROVIDER_A_MODEL, baseUrl: env.PROVIDER_A_BASE_URL },
    provider_b: { apiKey: env.PROVIDER_B_API_KEY, model: env.PROVIDER_B_MODEL, baseUrl: env.PROVIDER_B_BASE_URL },
  }
  const selected = selectProvider(env)
  const problems: string[] = []
  if (selected.name !== 'mock' && access[selected.name].apiKey === undefined) {
    problems.push(`AI_PROVIDER is ${selected.name}, but ${selected.name.toUpperCase()}_API_KEY is not set`)
  }
  if (!isAvailable(selected.name)) {
    problems.push(
      `${selected.name} is selected by ${selected.by}, but this release only has mock: set AI_PROVIDER=mock`,
    )
  }
  if (problems.length > 0) return { problems }

  return {
    problems: [],
    config: {
      host: '127.0.0.1',
      port: env.AI_PORT,
      provider: selected.name,
      access,
      secret: env.AI_SERVICE_SECRET,
      logLevel: env.LOG_LEVEL,
    },
  }
}
