import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readApp } from './base/app-key.ts'
import { Environment } from './base/environment.ts'
import { protectDataDirectory } from './base/data-directory.ts'
import { readOrCreateSecret } from './base/secret-key.ts'
import { readStorage, type StorageConfig } from './base/storage-url.ts'
import type { ExecutorName } from '../engines/sandbox/executor.ts'
import type { UidRange } from '../engines/sandbox/sandbox-users.ts'

const day = 86_400_000

/** Relative paths in settings are resolved against this folder, not against the current directory. */
const projectRoot = resolve(import.meta.dirname, '..')

export interface Config {
  production: boolean
  /** True unless NODE_ENV=production: one machine, one user. See local mode in the README. */
  local: boolean
  /** True if the launcher runs the database. */
  embeddedDatabase: boolean
  host: string
  port: number
  baseUrl: string
  databaseUrl: string
  databasePoolSize: number
  /** An absolute path. */
  dataDir: string
  /** The storage of file contents. */
  storage: StorageConfig
  secretKey: string
  ai: { url: string; secret: string | undefined; timeoutMs: number }
  outboundAllowCidrs: string[]
  /** Who may use repositories of the server's own file system. */
  localRepositories: 'nobody' | 'owner' | 'everyone'
  /** `client` is undefined if sign-in with the code host is not configured. */
  codeHost: {
    client: { id: string; secret: string } | undefined
    url: string
    apiUrl: string
    /** The GitHub App that posts check runs and comments where it is installed. */
    app?: { id: string; privateKey: string } | undefined
  }
  /** The secrets that sign deliveries to the shared receivers. A receiver without a secret answers 404. */
  inbound: { secret: string | undefined; appSecret: string | undefined; legacySha1: boolean }
  /** Without `secret`, billing is off and plans have no limits. `prices` lists the price ids of each plan. */
  billing: { secret: string | undefined; prices: Record<'team' | 'unlimited', string[]> }
  /** `retryMs` contains the delay before each attempt of a delivery. */
  webhooks: { retryMs: number[]; timeoutMs: number; connectTimeoutMs: number }
  /** Further origins whose pages may call with the session cookie, and to which sign-in may return. */
  corsOrigins: string[]
  /** The number of proxies in front of this server. */
  trustProxy: number
  rateLimit: 'standard' | 'by-type' | 'off'
  signUp: 'open' | 'invite' | 'closed'
  /** `idleMs` 0 disables the idle timeout. */
  sessions: { rotationIntervalMs: number; rotationGraceMs: number; absoluteMs: number; idleMs: number }
  /** Without `smtpUrl`, mail is written to the log. */
  mail: { smtpUrl: string | undefined; from: string }
  /** The port of MCP in local mode, for display. */
  mcpPort: number
  /** The number of analyses that one process runs at a time. */
  analysisConcurrency: number
  /** The number of verifications that one process works on at a time. Each of them uses all processors. */
  verificationConcurrency: number
  runs: {
    executor: 'auto' | ExecutorName
    /** The number of runs that one process executes at a time. */
    runConcurrency: number
    /** The number of runs of one organization or user that all processes together execute at a time. */
    runsPerOwner: number
    memoryBytes: number
    diskBytes: number
    files: number
    /** Whether the kernel limits the folders of runs, where it can. */
    quota: 'auto' | 'off'
    processes: number
    outputBytes: number
    /** Folders that sandboxes may read in addition to the system and its toolchains. */
    paths: string[]
    /** The image of containers with `EXECUTOR=docker`. */
    image: string
    /** The users that sandboxes run as where root runs Assay. */
    uidRange: UidRange
  }
  /** How long a request body may take, and that of an upload of which enough bytes arrive. */
  bodyTimes: { requestMs: number; uploadMs: number }
  /** How many snapshots a project may have, and how much disk space they may take. */
  snapshots: { maxPerProject: number; maxBytesOfProject: number }
  /** The maximum time for reading one file that somebody sent or a repository contains, such as a report. */
  readTimeoutMs: number
  role: 'all' | 'web' | 'worker'
  logLevel: string
}

export type ConfigResult = { config: Config; problems: [] } | { config?: undefined; problems: string[] }

/**
 * Reads the environment and reports all problems at once. An empty setting counts as absent, except
 * `OUTBOUND_ALLOW_CIDRS`, where empty means that no private address is allowed.
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
    problems.push('DATABASE_URL is required; only npm start runs its own database')
  }
  const dataDir = resolve(projectRoot, parsed.data?.DATA_DIR ?? '')
  const storage = readStorage(given, dataDir)
  problems.push(...storage.problems)
  if (!parsed.success || !storage.storage || problems.length > 0) return { problems }

  const env = parsed.data
  const local = !production
  const baseUrl = (env.BASE_URL ?? `http://localhost:${env.PORT}`).replace(/(?<!\/)\/+$/, '')
  const { protocol, hostname, origin, href } = new URL(baseUrl)
  if (href !== `${origin}/`) {
    return { problems: ['BASE_URL must not have a path, query or user; give Assay its own host name'] }
  }
  if (production && protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
    return {
      problems: [
        'BASE_URL must start with https in production, because browsers send the session cookie only over https',
      ],
    }
  }
  if ((env.CODE_HOST_CLIENT_ID === undefined) !== (env.CODE_HOST_CLIENT_SECRET === undefined)) {
    return { problems: ['CODE_HOST_CLIENT_ID and CODE_HOST_CLIENT_SECRET must be set together'] }
  }
  const app = readApp(env)
  if ('problem' in app) return { problems: [app.problem] }
  // The last use of a session is stored when its token is rotated, which can take both times.
  const maxRotationMs = env.SESSION_ROTATION_INTERVAL_MS + env.SESSION_ROTATION_GRACE_MS
  if (env.SESSION_IDLE_MINUTES > 0 && env.SESSION_IDLE_MINUTES * 60_000 < 2 * maxRotationMs) {
    return {
      problems: [
        'SESSION_IDLE_MINUTES must be 0, or at least twice the sum of SESSION_ROTATION_INTERVAL_MS and SESSION_ROTATION_GRACE_MS',
      ],
    }
  }
  if (local && !['127.0.0.1', '::1', 'localhost'].includes(env.HOST)) {
    return {
      problems: ['HOST must be a loopback address in local mode; set NODE_ENV=production to serve other machines'],
    }
  }
  const folderProblem = protectDataDirectory(dataDir)
  // A process with all settings may do without a folder, until it needs one.
  if (folderProblem !== null && (env.SECRET_KEY === undefined || existsSync(dataDir))) {
    return { problems: [`DATA_DIR ${dataDir} cannot be used: ${folderProblem}`] }
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
        url: env.AI_SERVICE_URL.replace(/(?<!\/)\/+$/, ''),
        secret: env.AI_SERVICE_SECRET,
        timeoutMs: env.AI_TIMEOUT_SECONDS * 1_000,
      },
      outboundAllowCidrs: env.OUTBOUND_ALLOW_CIDRS ?? (local ? ['127.0.0.0/8', '::1/128'] : []),
      localRepositories: (env.REPOSITORIES_ALLOW_LOCAL ?? local) ? (local ? 'owner' : 'everyone') : 'nobody',
      codeHost: {
        client:
          env.CODE_HOST_CLIENT_ID !== undefined && env.CODE_HOST_CLIENT_SECRET !== undefined
            ? { id: env.CODE_HOST_CLIENT_ID, secret: env.CODE_HOST_CLIENT_SECRET }
            : undefined,
        url: env.CODE_HOST_URL.replace(/(?<!\/)\/+$/, ''),
        apiUrl: (env.CODE_HOST_API_URL ?? apiOf(env.CODE_HOST_URL)).replace(/(?<!\/)\/+$/, ''),
        app: app.app,
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
        files: env.SANDBOX_FILES,
        quota: env.SANDBOX_QUOTA,
        processes: env.SANDBOX_PROCESSES,
        outputBytes: env.SANDBOX_OUTPUT_MB * 2 ** 20,
        paths: env.SANDBOX_PATHS ?? [],
        image: env.SANDBOX_IMAGE,
        uidRange: env.SANDBOX_UID_RANGE,
      },
      bodyTimes: { requestMs: env.REQUEST_TIMEOUT_SECONDS * 1_000, uploadMs: env.UPLOAD_TIMEOUT_SECONDS * 1_000 },
      snapshots: { maxPerProject: env.SNAPSHOTS_PER_PROJECT, maxBytesOfProject: env.SNAPSHOTS_DISK_MB * 2 ** 20 },
      readTimeoutMs: env.READ_TIMEOUT_SECONDS * 1_000,
      role: env.ROLE,
      logLevel: env.LOG_LEVEL,
    },
  }
}

/** github.com serves its API from another host; an enterprise server serves it below its own address. */
function apiOf(codeHostUrl: string): string {
  const { origin, hostname } = new URL(codeHostUrl)
  return hostname === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`
}
