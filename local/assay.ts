import { randomBytes } from 'node:crypto'
import { readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { AiConfig } from '../ai-service/config.ts'
import type { Config } from '../core/config.ts'
import { removeTree } from '../core/workspaces/directories.ts'
import type { McpConfig } from '../mcp-server/config.ts'
import { problemOfForeignAi, startsOwnAi } from './ai-service.ts'
import { type Child, type ChildOptions, startChild } from './child.ts'
import { LaunchError } from './launch-error.ts'
import { findBusyPorts } from './ports.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { hasDatabase } from './postgres-files.ts'
import { PostgresError } from './postgres-server.ts'
import { noteRunning } from './running.ts'

export interface Assay extends AsyncDisposable {
  config: Config
  coreUrl: string
  mcpUrl: string
  tokenFile: string | undefined
  signInLink: string | undefined
  /** The folder of the embedded database; undefined for another database. */
  databaseDir: string | undefined
  /** What does not work although everything has started. */
  warnings: string[]
  /** Settles when everything has stopped: with a reason when that was not asked for. */
  ended: Promise<string | undefined>
}

const noop = () => {}

/** Slightly more than Postgres needs to start. */
const minFreeBytes = 64 * 2 ** 20

interface Configs {
  core: Config
  ai: AiConfig
  mcp: McpConfig
}

/**
 * Starts the database, the AI service, core and the MCP server, each in its own process.
 *
 * @param prepare - has ended before a program accepts requests
 */
export async function startAssay(
  configs: Configs,
  environment: NodeJS.ProcessEnv = process.env,
  prepare: () => Promise<unknown> = async () => {},
): Promise<Assay> {
  const { core, ai, mcp } = configs
  await using started = new AsyncDisposableStack()
  let asked = false
  const stopSignals = onStopSignal().then(() => {
    asked = true
    return undefined
  })

  const children: Child[] = []
  const start = async (
    name: string,
    script: string,
    settings: NodeJS.ProcessEnv,
    { args = [], laterSettings }: Pick<ChildOptions, 'args' | 'laterSettings'> = {},
  ) => {
    const child = await startChild({
      name,
      script,
      args,
      environment: { ...environment, ...settings },
      laterSettings,
      logFile: core.local ? join(core.dataDir, 'logs', `${name}.log`) : undefined,
    })
    started.defer(() => child.stop())
    children.push(child)
    return child.ready
  }

  const ownAi = await startsOwnAi(core, ai, environment)
  // A first start that cannot succeed leaves no database behind.
  if (core.embeddedDatabase && !hasDatabase(join(core.dataDir, 'postgres'))) await requirePorts(configs, ownAi, false)
  // Core loads its modules while the database starts.
  const coreSettings = Promise.withResolvers<NodeJS.ProcessEnv>()
  started.defer(() => coreSettings.reject(new LaunchError([])))
  const coreStarting = start('core', 'core/main.ts', {}, { laterSettings: coreSettings.promise })
  coreStarting.catch(() => undefined)
  const preparing = prepare()
  // A failed start ends the process, which must not interrupt it.
  started.defer(() => preparing.then(noop, noop))
  const postgres = core.embeddedDatabase ? await openPostgres(core) : undefined
  if (postgres) started.use(postgres)
  await preparing
  await requirePorts(configs, ownAi, postgres?.adopted ?? false)

  // Other users and programs of the machine reach the port, too.
  const aiSecret = ownAi ? { AI_SERVICE_SECRET: ai.secret ?? randomBytes(32).toString('base64url') } : {}
  const startAi = async () =>
    `http://127.0.0.1:${(await start('ai-service', 'ai-service/main.ts', { AI_PORT: String(ai.port), ...aiSecret })).port}`
  const aiStarting = ownAi ? startAi() : Promise.resolve(core.ai.url)
  aiStarting.catch(() => undefined)
  coreSettings.resolve({
    AI_SERVICE_URL: ownAi && ai.port !== 0 ? `http://127.0.0.1:${ai.port}` : await aiStarting,
    ...aiSecret,
    ...(postgres ? { EMBEDDED_DATABASE_URL: postgres.url } : {}),
  })
  const addressOf = (port: number) => `http://${core.host.includes(':') ? `[${core.host}]` : core.host}:${port}`
  const startMcp = (coreUrl: string) =>
    start(
      'mcp-server',
      'mcp-server/main.ts',
      { SVC_BASE_URL: coreUrl, MCP_PORT: String(mcp.port) },
      { args: ['--http'] },
    )
  // It asks core only when it is asked itself.
  const mcpStarting = core.port === 0 ? undefined : startMcp(addressOf(core.port))
  mcpStarting?.catch(() => undefined)
  await aiStarting
  const aiProblem = ownAi ? undefined : await problemOfForeignAi(core)
  const ready = await coreStarting
  const coreUrl = addressOf(ready.port)
  if (core.local) {
    started.use(await noteRunning(core.dataDir, { listening: coreUrl, baseUrl: ready.baseUrl ?? core.baseUrl }))
  }
  const mcpReady = await (mcpStarting ?? startMcp(coreUrl))

  // A signal came during the start, so `started` stops all parts that run.
  if (asked) throw new LaunchError([])
  const stack = started.move()
  const parts = postgres ? [...children, postgres] : children
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= stack.disposeAsync())
  const ended = stopWithFirst([stopSignals, ...parts.map((part) => part.ended)], stop)
  return {
    config: core,
    coreUrl: core.local ? `http://localhost:${ready.port}` : core.baseUrl,
    mcpUrl: `http://127.0.0.1:${mcpReady.port}/mcp`,
    tokenFile: ready.tokenFile,
    signInLink: ready.signInLink,
    databaseDir: postgres?.directory,
    warnings: aiProblem === undefined ? [] : [aiProblem],
    ended,
    [Symbol.asyncDispose]: stop,
  }
}

async function openPostgres(core: Config): Promise<Postgres> {
  const options = {
    directory: join(core.dataDir, 'postgres'),
    logFile: join(core.dataDir, 'logs', 'postgres.log'),
  }
  try {
    return await startPostgres(options).catch(async (error: unknown) => {
      // Interrupted test runs may have filled the disk. Core would delete their files, but it needs Postgres to start.
      if (!(error instanceof PostgresError) || error.isTaken || !(await removeLeftRuns(core))) throw error
      return startPostgres(options)
    })
  } catch (error) {
    if (error instanceof PostgresError) throw new LaunchError([error.message])
    throw error
  }
}

/** @returns true where the disk was full and files were deleted */
async function removeLeftRuns({ dataDir }: Config): Promise<boolean> {
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize > minFreeBytes) return false
  const names = await readdir(join(dataDir, 'runs')).catch(() => [])
  for (const name of names) await removeTree(join(dataDir, 'runs', name))
  return names.length > 0
}

async function requirePorts({ core, ai, mcp }: Configs, ownAi: boolean, recovering: boolean) {
  const wanted = [
    { setting: 'PORT', host: core.host, port: core.port },
    ...(ownAi ? [{ setting: 'AI_PORT', host: ai.host, port: ai.port }] : []),
    { setting: 'MCP_PORT', host: '127.0.0.1', port: mcp.port },
  ]
  const problems = await findBusyPorts(wanted, recovering ? 15_000 : 0)
  if (problems.length > 0) throw new LaunchError(problems)
}

/**
 * Resolves on the first SIGINT, SIGTERM or SIGHUP and ignores later ones: one Ctrl-C may arrive several times, from the
 * terminal and from npm or the watcher, and every part has its own deadline to stop.
 */
function onStopSignal(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(undefined))
    // npm does not forward SIGTERM, so a start by npm stops when npm ends.
    const parent = process.ppid
    if (process.env['npm_lifecycle_event'] === undefined) return
    setInterval(() => {
      if (process.ppid !== parent) resolve(undefined)
    }, 500).unref()
  })
}

/** Stops all parts in the reverse order of their start, on a signal or when one part ends. */
async function stopWithFirst(ends: Promise<string | undefined>[], stop: () => Promise<void>) {
  const reason = await Promise.race(ends)
  await stop()
  return reason
}
