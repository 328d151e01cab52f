import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client'
import { pino } from 'pino'
import { type App, createApp, type Overrides } from '../app.ts'
import type { Config } from '../config.ts'
import type { AppRouter } from '../router.ts'
import { createTestDatabase } from './database.ts'

export interface TestApp extends App {
  url: string
  config: Config
  /** A typed client that calls with this token, or with none. */
  client(token?: string): TRPCClient<AppRouter>
  /** Any request; the path is relative to the application. */
  fetch(path: string, init?: RequestInit & { token?: string; cookie?: string }): Promise<Response>
  /** Every log line so far. */
  logLines: string[]
}

/** How runs are executed, unless a test changes it. */
export const runSettings: Config['runs'] = {
  executor: 'bwrap',
  runConcurrency: 1,
  runsPerOwner: 1,
  memoryBytes: 1_024 * 2 ** 20,
  diskBytes: 1_024 * 2 ** 20,
  processes: 512,
  outputBytes: 10 * 2 ** 20,
  paths: [],
  image: 'node:24-bookworm',
}

/** How deliveries are attempted, unless a test changes it: as people run it, a hundred times faster. */
export const webhookSettings: Config['webhooks'] = {
  retryMs: [0, 600, 3_000, 18_000, 72_000, 432_000],
  timeoutMs: 5_000,
  connectTimeoutMs: 2_000,
}

/** The whole application on a database and a data folder of its own, listening on a free port. */
export async function createTestApp(change: Partial<Config> = {}, overrides: Overrides = {}): Promise<TestApp> {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await createTestDatabase())
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-data-'))
  opened.defer(() => rm(dataDir, { recursive: true, force: true }))
  const config: Config = {
    production: false,
    local: true,
    embeddedDatabase: false,
    host: '127.0.0.1',
    port: 0,
    baseUrl: 'http://localhost:4000',
    databaseUrl: database.url,
    databasePoolSize: 10,
    dataDir,
    storage: { kind: 'folder', path: join(dataDir, 'files') },
    secretKey: 'a key for tests that is long enough to be one',
    ai: { url: 'http://127.0.0.1:1', secret: undefined, timeoutMs: 5_000 },
    outboundAllowCidrs: ['127.0.0.0/8', '::1/128'],
    repositoriesAllowLocal: true,
    codeHost: { client: undefined, url: 'http://127.0.0.1:1', apiUrl: 'http://127.0.0.1:1' },
    inbound: { secret: undefined, appSecret: undefined, legacySha1: false },
    billing: { secret: undefined, prices: { team: [], unlimited: [] } },
    webhooks: webhookSettings,
    corsOrigins: ['http://localhost:5173'],
    trustProxy: 0,
    rateLimit: 'off',
    signUp: 'open',
    sessions: { rotationIntervalMs: 10_000, rotationGraceMs: 10_000, absoluteMs: 30 * 86_400_000, idleMs: 0 },
    mcpPort: 4100,
    mail: { smtpUrl: undefined, from: 'Assay <no-reply@localhost>' },
    analysisConcurrency: 1,
    verificationConcurrency: 1,
    runs: runSettings,
    role: 'all',
    logLevel: 'info',
    ...change,
  }
  const logLines: string[] = []
  const log = overrides.log ?? pino({ level: config.logLevel }, { write: (line) => void logLines.push(line) })
  const app = opened.use(await createApp(config, { ...overrides, log }))
  const { port } = await app.listen()
  const url = `http://127.0.0.1:${port}`
  // Known only now; a test that names another address gets it.
  config.baseUrl = change.baseUrl ?? url

  const stack = opened.move()
  return {
    ...app,
    url,
    config,
    logLines,
    client: (token) =>
      createTRPCClient<AppRouter>({
        links: [httpLink({ url: `${url}/trpc`, headers: token ? { authorization: `Bearer ${token}` } : {} })],
      }),
    fetch: (path, { token, cookie, headers, ...init } = {}) =>
      fetch(`${url}${path}`, {
        ...init,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(cookie ? { cookie } : {}),
          ...Object.fromEntries(new Headers(headers)),
        },
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
