import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client'
import { pino } from 'pino'
import { type App, createApp, type Overrides } from '../app.ts'
import type { Config } from '../config.ts'
import type { AppRouter } from '../router.ts'
import { testConfig } from './config.ts'
import { createTestDatabase } from './database.ts'

export { runSettings, webhookSettings } from './config.ts'

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

/** The whole application on a database and a data folder of its own, listening on a free port. */
export async function createTestApp(change: Partial<Config> = {}, overrides: Overrides = {}): Promise<TestApp> {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await createTestDatabase())
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-data-'))
  opened.defer(() => rm(dataDir, { recursive: true, force: true }))
  const config: Config = { ...testConfig({ databaseUrl: database.url, dataDir }), ...change }
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
