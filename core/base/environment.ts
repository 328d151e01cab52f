import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { parseCidrs } from '../../engines/network/addresses.ts'
import { defaultUidRange } from '../../engines/sandbox/sandbox-users.ts'

const port = z.coerce
  .number('must be a port number')
  .int('must be a port number')
  .min(0)
  .max(65_535, 'must be at most 65535')
const count = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  return z.coerce.number(message).int(message).min(min, message).max(max, message)
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

/** The delays before each attempt of a delivery. */
const delays = z.string().transform((value, issues) => {
  const given = value.split(',').map((item) => (item.trim() === '' ? Number.NaN : Number(item)))
  if (given.length <= 20 && given[0] === 0 && given.every((item) => item >= 0 && item <= 30 * 86_400)) return given
  issues.addIssue('must be a list of at most 20 delays in seconds, the first one 0, such as 0,60,300')
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

const maxId = 4_294_967_294
const idRange = z.string().transform((value, issues) => {
  const [, first = 0, last = 0] = (/^(\d+)-(\d+)$/.exec(value) ?? []).map(Number)
  if (first >= 1_000 && last > first && last <= maxId) return { first, last }
  issues.addIssue('must be two numbers of users, the first at least 1000, such as 1900000000-1900004095')
  return z.NEVER
})

/** Every setting in the environment, except the checks that involve several of them. */
export const Environment = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: port.default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  BASE_URL: httpUrl.optional(),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must look like postgres://user:password@host:5432/database' })
    .optional(),
  /** Set by the launcher, which runs the database of local mode. */
  EMBEDDED_DATABASE_URL: z.string().optional(),
  DATABASE_POOL_SIZE: count(10, 200).default(20),
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
  CODE_HOST_APP_ID: z
    .string()
    .regex(/^\d{1,20}$/, 'must be the number of a GitHub App')
    .optional(),
  CODE_HOST_APP_PRIVATE_KEY: z.string().optional(),
  CODE_HOST_APP_PRIVATE_KEY_FILE: z.string().optional(),
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
  REQUEST_TIMEOUT_SECONDS: count(1, 3_600).default(30),
  UPLOAD_TIMEOUT_SECONDS: count(1, 3_600).default(900),
  SNAPSHOTS_PER_PROJECT: count(1, 100_000).default(1_000),
  SNAPSHOTS_DISK_MB: count(64, 1_048_576).default(4_096),
  READ_TIMEOUT_SECONDS: count(1, 3_600).default(60),
  SANDBOX_MEMORY_MB: count(64, 1_048_576).default(4_096),
  SANDBOX_DISK_MB: count(16, 1_048_576).default(8_192),
  SANDBOX_FILES: count(1_000, 100_000_000).default(1_000_000),
  SANDBOX_QUOTA: z.enum(['auto', 'off'], 'must be auto or off').default('auto'),
  SANDBOX_PROCESSES: count(16, 65_536).default(1_024),
  SANDBOX_OUTPUT_MB: count(1, 1_024).default(10),
  SANDBOX_PATHS: list.optional(),
  SANDBOX_UID_RANGE: idRange.default(defaultUidRange),
  SANDBOX_IMAGE: z.string().min(1).default('node:24-bookworm'),
  ROLE: z.enum(['all', 'web', 'worker'], 'must be all, web or worker').default('all'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a pino level such as info')
    .default('info'),
})

function isOrigin(text: string): boolean {
  // Origins are compared as exact text, so a wildcard would match nothing.
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text
}
