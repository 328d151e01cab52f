import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { readStorage, type StorageConfig } from './base/storage-url.ts'
import { parseCidrs } from '../engines/network/addresses.ts'
import type { ExecutorName } from '../engines/sandbox/executor.ts'

const port = z.coerce
  .number('must be a port number')
  .int('must be a port number')
  .min(0)
  .max(65_535, 'must be at most 65535')
const count = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`
  return z.coerce.number(message).int(message).min(least, message).max(most, message)
}
const flag = z
  .enum(['1', '0', 'true', 'false', 'on', 'off'], 'must be on or off')
  .transform((value) => ['1', 'true', 'on'].includes(value))
const seconds = z.coerce.number('must be a number of seconds').positive('must be more than 0')

const milliseconds = z.coerce
  .number('must be a number of milliseconds')
  .int('must be a whole number of milliseconds')
  .min(0, 'must be 0 or more')
  .max(3_600_000, 'must be at most 3600000, an hour')

/** When a delivery is attempted: how long to wait before each time. */
const delays = z.string().transform((value, issues) => {
  const given = value.split(',').map((item) => (item.trim() === '' ? Number.NaN : Number(item)))
  if (given.length <= 20 && given[0] === 0 && given.every((item) => item >= 0 && item <= 30 * 86_400)) return given
  issues.addIssue('must be at most 20 numbers of seconds that begin with 0, such as 0,60,300')
  return z.NEVER
})

const sharedSecret = z.string().min(16, 'must have at least 16 characters')
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })
const day = 86_400_000

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
  DATABASE_POOL_SIZE: count(1, 200).default(10),
  DATA_DIR: z.string().min(1).default('.data'),
  STORAGE_URL: z.string().optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_REGION: z.string().optional(),
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
  CODE_HOST_CLIENT_ID: z.string().min(1).optional(),
  CODE_HOST_CLIENT_SECRET: z.string().min(1).optional(),
  CODE_HOST_URL: httpUrl.default('https://github.com'),
  CODE_HOST_API_URL: httpUrl.optional(),
  CODE_HOST_WEBHOOK_SECRET: sharedSecret.optional(),
  CODE_HOST_APP_WEBHOOK_SECRET: sharedSecret.optional(),
  INBOUND_LEGACY_SHA1: flag.default(false),
  BILLING_WEBHOOK_SECRET: sharedSecret.optional(),
  BILLING_PRICE_TEAM: list.optional(),
  BILLING_PRICE_UNLIMITED: list.optional(),
  WEBHOOK_RETRY_SECONDS: delays.default([0, 60, 300, 1_800, 7_200, 43_200]),
  WEBHOOK_TIMEOUT_SECONDS: seconds.max(300, 'must be at most 300').default(30),
  WEBHOOK_CONNECT_TIMEOUT_SECONDS: seconds.max(300, 'must be at most 300').default(10),
  CORS_ORIGINS: z
    .string()
    .transform((value, issues) => {
      const origins = value.split(',').map((origin) => origin.trim())
      const wrong = origins.filter((origin) => origin !== '' && !isOrigin(origin))
      if (wrong.length > 0) issues.addIssue(`must be origins such as https://app.example.com, not ${wrong.join(', ')}`)
      return origins.filter((origin) => origin !== '')
    })
    .optional(),
  TRUST_PROXY: count(0, 10).default(0),
  RATE_LIMIT: z.enum(['standard', 'by-type', 'off'], 'must be standard, by-type or off').default('standard'),
  SIGN_UP: z.enum(['open', 'invite', 'closed'], 'must be open, invite or closed').default('invite'),
  SESSION_ROTATION_INTERVAL_MS: milliseconds.default(10_000),
  SESSION_ROTATION_GRACE_MS: milliseconds.default(10_000),
  SESSION_ABSOLUTE_DAYS: count(1, 365).default(30),
  SESSION_IDLE_MINUTES: count(0, 525_600).default(0),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must look like smtp://user:password@host:587' }).optional(),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>@]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/,
      'must be an address such as Assay <assay@example.com>',
    )
    .optional(),
  MCP_PORT: port.default(4100),
  ANALYSIS_CONCURRENCY: count(1, 64).default(2),
  EXECUTOR: z
    .enum(['auto', 'bwrap', 'gvisor', 'docker', 'local'], 'must be auto, bwrap, gvisor, docker or local')
    .default('auto'),
  RUN_CONCURRENCY: count(1, 64).default(Math.max(1, Math.floor(availableParallelism() / 2))),
  RUNS_PER_OWNER: count(1, 64).optional(),
  VERIFICATION_CONCURRENCY: count(1, 64).default(1),
  SANDBOX_MEMORY_MB: count(64, 1_048_576).default(4_096),
  SANDBOX_DISK_MB: count(16, 1_048_576).default(8_192),
  SANDBOX_PROCESSES: count(16, 65_536).default(1_024),
  SANDBOX_OUTPUT_MB: count(1, 1_024).default(10),
  SANDBOX_PATHS: list.optional(),
  SANDBOX_IMAGE: z.string().min(1).default('node:24-bookworm'),
  ROLE: z.enum(['all', 'web', 'worker'], 'must be all, web or worker').default('all'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a pino level such as info')
    .default('info'),
})

export interface Config {
  production: boolean
  /** One machine, one person: see local mode in the README. Ends with NODE_ENV=production. */
  local: boolean
  /** The launcher brings the database along. */
  embeddedDatabase: boolean
  host: string
  port: number
  baseUrl: string
  databaseUrl: string
  databasePoolSize: number
  /** Absolute. */
  dataDir: string
  /** Where the bytes of stored files are. */
  storage: StorageConfig
  secretKey: string
  ai: { url: string; secret: string | undefined; timeoutMs: number }
  outboundAllowCidrs: string[]
  repositoriesAllowLocal: boolean
  /** Where people sign in with the code host; `client` is undefined where that was not set up. */
  codeHost: { client: { id: string; secret: string } | undefined; url: string; apiUrl: string }
  /** What deliveries to the shared receivers are signed with; without a secret there is no such receiver. */
  inbound: { secret: string | undefined; appSecret: string | undefined; legacySha1: boolean }
  /** Without `secret` nobody pays, and there are no limits. `prices`: what each plan is sold as. */
  billing: { secret: string | undefined; prices: Record<'team' | 'unlimited', string[]> }
  /** How deliveries to webhooks are attempted; `retryMs` is how long to wait before each attempt. */
  webhooks: { retryMs: number[]; timeoutMs: number; connectTimeoutMs: number }
  /** Origins besides our own whose pages may call with the session cookie, and to which sign-in may return. */
  corsOrigins: string[]
  /** How many proxies stand between us and the callers. */
  trustProxy: number
  rateLimit: 'standard' | 'by-type' | 'off'
  signUp: 'open' | 'invite' | 'closed'
  /** `idleMs` 0: never. */
  sessions: { rotationIntervalMs: number; rotationGraceMs: number; absoluteMs: number; idleMs: number }
  /** Without `smtpUrl` messages go to the log. */
  mail: { smtpUrl: string | undefined; from: string }
  /** Where local mode serves MCP, for people to read. */
  mcpPort: number
  /** Analyses that one process runs at once. */
  analysisConcurrency: number
  /** Verifications that one process works on at once; each of them uses all processors. */
  verificationConcurrency: number
  /** How test runs are executed, and how many at once: by this process, and of one organization or user on all together. */
  runs: {
    executor: 'auto' | ExecutorName
    runConcurrency: number
    runsPerOwner: number
    memoryBytes: number
    diskBytes: number
    processes: number
    outputBytes: number
    /** Folders of this machine that sandboxes may read besides the system's and its toolchains. */
    paths: string[]
    /** What containers of `docker` are made of. */
    image: string
  }
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
    problems.push('DATABASE_URL is required; only npm start runs a database of its own')
  }
  const dataDir = resolve(projectRoot, parsed.data?.DATA_DIR ?? '')
  const storage = readStorage(given, dataDir)
  problems.push(...storage.problems)
  if (!parsed.success || !storage.storage || problems.length > 0) return { problems }

  const env = parsed.data
  const local = !production
  const baseUrl = (env.BASE_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, '')
  const { protocol, hostname, origin, href } = new URL(baseUrl)
  if (href !== `${origin}/`) {
    return { problems: ['BASE_URL must have no path, query or user; use a host name of its own for Assay'] }
  }
  if (production && protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
    return {
      problems: [
        'BASE_URL must begin with https in production, because browsers send the session cookie only over https',
      ],
    }
  }
  if ((env.CODE_HOST_CLIENT_ID === undefined) !== (env.CODE_HOST_CLIENT_SECRET === undefined)) {
    return { problems: ['CODE_HOST_CLIENT_ID and CODE_HOST_CLIENT_SECRET must be set together'] }
  }
  // Use is noted whenever a session's token is replaced, and that can take both.
  const betweenNotesMs = env.SESSION_ROTATION_INTERVAL_MS + env.SESSION_ROTATION_GRACE_MS
  if (env.SESSION_IDLE_MINUTES > 0 && env.SESSION_IDLE_MINUTES * 60_000 < 2 * betweenNotesMs) {
    return {
      problems: [
        'SESSION_IDLE_MINUTES must be 0 or at least twice SESSION_ROTATION_INTERVAL_MS and SESSION_ROTATION_GRACE_MS together',
      ],
    }
  }
  if (local && !['127.0.0.1', '::1', 'localhost'].includes(env.HOST)) {
    return {
      problems: ['HOST must be a loopback address in local mode; set NODE_ENV=production to serve other machines'],
    }
  }
  const secretKey = env.SECRET_KEY ?? readOrCreateSecret(resolve(dataDir, 'secret-key'))
  if (typeof secretKey !== 'string') return { problems: [`DATA_DIR ${dataDir} cannot be used: ${secretKey.problem}`] }
  return {
    problems: [],
    config: {
      production,
      local,
      embeddedDatabase: env.DATABASE_URL === undefined,
      host: env.HOST,
      port: env.PORT,
      baseUrl,
      databaseUrl: env.DATABASE_URL ?? env.EMBEDDED_DATABASE_URL ?? '',
      databasePoolSize: env.DATABASE_POOL_SIZE,
      dataDir,
      storage: storage.storage,
      secretKey,
      ai: {
        url: env.AI_SERVICE_URL.replace(/\/+$/, ''),
        secret: env.AI_SERVICE_SECRET,
        timeoutMs: env.AI_TIMEOUT_SECONDS * 1_000,
      },
      outboundAllowCidrs: env.OUTBOUND_ALLOW_CIDRS ?? (local ? ['127.0.0.0/8', '::1/128'] : []),
      repositoriesAllowLocal: env.REPOSITORIES_ALLOW_LOCAL ?? local,
      codeHost: {
        client:
          env.CODE_HOST_CLIENT_ID !== undefined && env.CODE_HOST_CLIENT_SECRET !== undefined
            ? { id: env.CODE_HOST_CLIENT_ID, secret: env.CODE_HOST_CLIENT_SECRET }
            : undefined,
        url: env.CODE_HOST_URL.replace(/\/+$/, ''),
        apiUrl: (env.CODE_HOST_API_URL ?? apiOf(env.CODE_HOST_URL)).replace(/\/+$/, ''),
      },
      inbound: {
        secret: env.CODE_HOST_WEBHOOK_SECRET,
        appSecret: env.CODE_HOST_APP_WEBHOOK_SECRET,
        legacySha1: env.INBOUND_LEGACY_SHA1,
      },
      billing: {
        secret: env.BILLING_WEBHOOK_SECRET,
        prices: { team: env.BILLING_PRICE_TEAM ?? [], unlimited: env.BILLING_PRICE_UNLIMITED ?? [] },
      },
      webhooks: {
        retryMs: env.WEBHOOK_RETRY_SECONDS.map((delay) => delay * 1_000),
        timeoutMs: env.WEBHOOK_TIMEOUT_SECONDS * 1_000,
        connectTimeoutMs: env.WEBHOOK_CONNECT_TIMEOUT_SECONDS * 1_000,
      },
      corsOrigins: env.CORS_ORIGINS ?? (local ? ['http://localhost:5173', 'http://localhost:3000'] : []),
      trustProxy: env.TRUST_PROXY,
      rateLimit: env.RATE_LIMIT,
      signUp: env.SIGN_UP,
      sessions: {
        rotationIntervalMs: env.SESSION_ROTATION_INTERVAL_MS,
        rotationGraceMs: env.SESSION_ROTATION_GRACE_MS,
        absoluteMs: env.SESSION_ABSOLUTE_DAYS * day,
        idleMs: env.SESSION_IDLE_MINUTES * 60_000,
      },
      mcpPort: env.MCP_PORT,
      mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM ?? `Assay <no-reply@${hostname}>` },
      analysisConcurrency: env.ANALYSIS_CONCURRENCY,
      verificationConcurrency: env.VERIFICATION_CONCURRENCY,
      runs: {
        executor: env.EXECUTOR,
        runConcurrency: env.RUN_CONCURRENCY,
        runsPerOwner: env.RUNS_PER_OWNER ?? env.RUN_CONCURRENCY,
        memoryBytes: env.SANDBOX_MEMORY_MB * 2 ** 20,
        diskBytes: env.SANDBOX_DISK_MB * 2 ** 20,
        processes: env.SANDBOX_PROCESSES,
        outputBytes: env.SANDBOX_OUTPUT_MB * 2 ** 20,
        paths: env.SANDBOX_PATHS ?? [],
        image: env.SANDBOX_IMAGE,
      },
      role: env.ROLE,
      logLevel: env.LOG_LEVEL,
    },
  }
}

/** GitHub's own API has a host of its own; an enterprise server has it below its address. */
function apiOf(codeHostUrl: string): string {
  const { origin, hostname } = new URL(codeHostUrl)
  return hostname === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`
}

function isOrigin(text: string): boolean {
  // A star would match nothing, since origins are compared as they stand.
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

/** The key is made once; losing it makes what it encrypted unreadable. */
function readOrCreateSecret(path: string): string | { problem: string } {
  try {
    makeDirectory(dirname(path))
    // Fails where there is one already, also when another process of the same start was faster: that is the key.
    if (!existsSync(path))
      writeFileSync(path, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!existsSync(path)) return { problem: error instanceof Error ? error.message : String(error) }
  }
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Level by level: Node's own way never returns where a file system, such as /proc, takes no folders. */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (path !== dirname(path)) makeDirectory(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}
