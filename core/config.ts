import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseCidrs } from './outbound/addresses.ts'

const port = z.coerce
  .number('must be a port number')
  .int('must be a port number')
  .min(0)
  .max(65_535, 'must be at most 65535')
const flag = z
  .enum(['1', '0', 'true', 'false', 'on', 'off'], 'must be on or off')
  .transform((value) => ['1', 'true', 'on'].includes(value))
const seconds = z.coerce.number('must be a number of seconds').positive('must be more than 0')

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

/** The folder that relative settings are relative to, wherever a program is started. */
const projectRoot = resolve(import.meta.dirname, '..')

const Environment = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: port.default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  BASE_URL: httpUrl.optional(),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must look like postgres://user:password@host:5432/database' })
    .optional(),
  /** Set by the launcher, which brings the database of local mode along. */
  EMBEDDED_DATABASE_URL: z.string().optional(),
  DATABASE_POOL_SIZE: z.coerce.number('must be a number').int().min(1).max(200).default(10),
  DATA_DIR: z.string().min(1).default('.data'),
  SECRET_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
  AI_SERVICE_URL: httpUrl.default('http://127.0.0.1:8000'),
  AI_SERVICE_SECRET: z.string().min(1).optional(),
  AI_TIMEOUT_SECONDS: seconds.default(45),
  OUTBOUND_ALLOW_CIDRS: z
    .string()
    .transform((value, issues) => {
      try {
        return parseCidrs(value)
      } catch (error) {
        issues.addIssue(error instanceof Error ? error.message : String(error))
        return z.NEVER
      }
    })
    .optional(),
  REPOSITORIES_ALLOW_LOCAL: flag.optional(),
  ANALYSIS_CONCURRENCY: z.coerce.number('must be a number').int().min(1).max(64).default(1),
  ROLE: z.enum(['all', 'web', 'worker'], 'must be all, web or worker').default('all'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a pino level such as info')
    .default('info'),
})

export interface Config {
  production: boolean
  /** One machine, one person, nothing configured: see local mode in the README. */
  local: boolean
  host: string
  port: number
  baseUrl: string
  databaseUrl: string
  databasePoolSize: number
  /** Absolute. */
  dataDir: string
  secretKey: string
  ai: { url: string; secret: string | undefined; timeoutMs: number }
  outboundAllowCidrs: string[]
  repositoriesAllowLocal: boolean
  /** Analyses that one process runs at once. */
  analysisConcurrency: number
  role: 'all' | 'web' | 'worker'
  logLevel: string
}

export type ConfigResult = { config: Config; problems: [] } | { config?: undefined; problems: string[] }

/**
 * Reads the environment and names everything wrong at once. A setting that is present but empty counts as absent,
 * save for `OUTBOUND_ALLOW_CIDRS`, where empty means that nothing private is allowed.
 */
export function readConfig(environment: NodeJS.ProcessEnv): ConfigResult {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== '' || name === 'OUTBOUND_ALLOW_CIDRS'),
  )
  const parsed = Environment.safeParse(given)
  const production = environment['NODE_ENV'] === 'production'
  const problems = (parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`)
  if (production) {
    for (const name of ['DATABASE_URL', 'SECRET_KEY', 'BASE_URL']) {
      if (!given[name]) problems.push(`${name} is required when NODE_ENV is production`)
    }
  } else if (!given['DATABASE_URL'] && !given['EMBEDDED_DATABASE_URL']) {
    problems.push('DATABASE_URL is required here; npm start brings its own database')
  }
  if (!parsed.success || problems.length > 0) return { problems }

  const env = parsed.data
  const local = !production && env.DATABASE_URL === undefined
  if (local && !['127.0.0.1', '::1', 'localhost'].includes(env.HOST)) {
    return {
      problems: [
        'HOST must be a loopback address in local mode; set DATABASE_URL and NODE_ENV=production to serve others',
      ],
    }
  }
  const dataDir = resolve(projectRoot, env.DATA_DIR)
  return {
    problems: [],
    config: {
      production,
      local,
      host: env.HOST,
      port: env.PORT,
      baseUrl: (env.BASE_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, ''),
      databaseUrl: env.DATABASE_URL ?? env.EMBEDDED_DATABASE_URL ?? '',
      databasePoolSize: env.DATABASE_POOL_SIZE,
      dataDir,
      secretKey: env.SECRET_KEY ?? readOrCreateSecret(resolve(dataDir, 'secret-key')),
      ai: {
        url: env.AI_SERVICE_URL.replace(/\/+$/, ''),
        secret: env.AI_SERVICE_SECRET,
        timeoutMs: env.AI_TIMEOUT_SECONDS * 1_000,
      },
      outboundAllowCidrs: env.OUTBOUND_ALLOW_CIDRS ?? (local ? ['127.0.0.0/8', '::1/128'] : []),
      repositoriesAllowLocal: env.REPOSITORIES_ALLOW_LOCAL ?? local,
      analysisConcurrency: env.ANALYSIS_CONCURRENCY,
      role: env.ROLE,
      logLevel: env.LOG_LEVEL,
    },
  }
}

/** The key is made once; losing it makes what it encrypted unreadable. */
function readOrCreateSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  mkdirSync(resolve(path, '..'), { recursive: true })
  const secret = randomBytes(48).toString('base64url')
  try {
    writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' })
    return secret
  } catch (error) {
    // Another process of the same start was faster: its key is the key.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return readFileSync(path, 'utf8').trim()
    throw error
  }
}
