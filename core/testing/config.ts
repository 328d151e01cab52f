import { join } from 'node:path'
import { defaultUidRange } from '../../engines/sandbox/sandbox-users.ts'
import type { Config } from '../config.ts'

/** Migrated and empty; each test database is a copy of it. */
export const templateDatabase = 'template_assay'

/** The default settings of runs in tests. */
export const runSettings: Config['runs'] = {
  executor: 'bwrap',
  runConcurrency: 1,
  runsPerOwner: 1,
  memoryBytes: 1_024 * 2 ** 20,
  diskBytes: 1_024 * 2 ** 20,
  files: 500_000,
  quota: 'off',
  processes: 512,
  outputBytes: 10 * 2 ** 20,
  paths: [],
  image: 'node:24-bookworm',
  uidRange: defaultUidRange,
}

/** The default settings of deliveries in tests: a hundred times faster than in production. */
export const webhookSettings: Config['webhooks'] = {
  retryMs: [0, 600, 3_000, 18_000, 72_000, 432_000],
  timeoutMs: 5_000,
  connectTimeoutMs: 2_000,
}

/** The default settings of an application in tests. */
export function testConfig({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): Config {
  return {
    production: false,
    local: true,
    embeddedDatabase: false,
    host: '127.0.0.1',
    port: 0,
    baseUrl: 'http://localhost:4000',
    databaseUrl,
    databasePoolSize: 20,
    dataDir,
    storage: { kind: 'folder', path: join(dataDir, 'files') },
    secretKey: 'a key for tests that is long enough to be one',
    ai: { url: 'http://127.0.0.1:1', secret: undefined, timeoutMs: 5_000 },
    outboundAllowCidrs: ['127.0.0.0/8', '::1/128'],
    // Tests have no local owner. `local-repositories.test.ts` tests local mode.
    localRepositories: 'everyone',
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
    bodyTimes: { requestMs: 30_000, uploadMs: 900_000 },
    snapshots: { maxPerProject: 1_000, maxBytesOfProject: 2 ** 30 },
    readTimeoutMs: 60_000,
    role: 'all',
    logLevel: 'info',
  }
}
