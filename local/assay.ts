import { readdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { AiConfig } from '../ai-service/config.ts'
import type { Config } from '../core/config.ts'
import type { McpConfig } from '../mcp-server/config.ts'
import { problemOfForeignAi, startsOwnAi } from './ai-service.ts'
import { type Child, startChild } from './child.ts'
import { LaunchError } from './launch-error.ts'
import { findBusyPorts } from './ports.ts'
import { type Postgres, PostgresError, startPostgres } from './postgres.ts'
import { noteRunning } from './running.ts'

export interface Assay extends AsyncDisposable {
  config: Config
  coreUrl: string
  mcpUrl: string
  tokenFile: string | undefined
  signInLink: string | undefined
  /** What does not work although everything has started. */
  warnings: string[]
  /** Settles when everything has stopped: with a reason when that was not asked for. */
  ended: Promise<string | undefined>
}

/** What Postgres needs to start, and some more. */
const enoughRoom = 64 * 2 ** 20

interface Configs {
  core: Config
  ai: AiConfig
  mcp: McpConfig
}

/** Starts the complete system: database, AI service, core and MCP server, each in a process of its own. */
export async function startAssay(configs: Configs, environment: NodeJS.ProcessEnv = process.env): Promise<Assay> {
  const { core, ai, mcp } = configs
  await using started = new AsyncDisposableStack()
  let asked = false
  const stopSignals = onStopSignal().then(() => {
    asked = true
    return undefined
  })

  const postgres = core.embeddedDatabase ? await openPostgres(core) : undefined
  if (postgres) started.use(postgres)
  const ownAi = await startsOwnAi(core, ai, environment)
  await requirePorts(configs, ownAi, postgres?.adopted ?? false)

  const children: Child[] = []
  const start = async (name: string, script: string, settings: NodeJS.ProcessEnv, args: string[] = []) => {
    const child = await startChild({
      name,
      script,
      args,
      environment: { ...environment, ...settings },
      logFile: core.local ? join(core.dataDir, 'logs', `${name}.log`) : undefined,
    })
    started.defer(() => child.stop())
    children.push(child)
    return child.ready
  }

  const aiUrl = ownAi
    ? `http://127.0.0.1:${(await start('ai-service', 'ai-service/main.ts', { AI_PORT: String(ai.port) })).port}`
    : core.ai.url
  const aiProblem = ownAi ? undefined : await problemOfForeignAi(core)
  const ready = await start('core', 'core/main.ts', {
    AI_SERVICE_URL: aiUrl,
    ...(postgres ? { EMBEDDED_DATABASE_URL: postgres.url } : {}),
  })
  const coreUrl = `http://${core.host.includes(':') ? `[${core.host}]` : core.host}:${ready.port}`
  if (core.local) {
    started.use(await noteRunning(core.dataDir, { listening: coreUrl, baseUrl: ready.baseUrl ?? core.baseUrl }))
  }
  const mcpReady = await start(
    'mcp-server',
    'mcp-server/main.ts',
    { SVC_BASE_URL: coreUrl, MCP_PORT: String(mcp.port) },
    ['--http'],
  )

  // Asked to stop while starting: `started` stops what there is.
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
      // Where the disk is full, it may be of what interrupted test runs have left, which core removes once it runs.
      if (!(error instanceof PostgresError) || error.isTaken || !(await removeLeftRuns(core))) throw error
      return startPostgres(options)
    })
  } catch (error) {
    if (error instanceof PostgresError) throw new LaunchError([error.message])
    throw error
  }
}

/** @returns whether there were any, and the disk is full */
async function removeLeftRuns({ dataDir }: Config): Promise<boolean> {
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize > enoughRoom) return false
  const names = await readdir(join(dataDir, 'runs')).catch(() => [])
  await rm(join(dataDir, 'runs'), { recursive: true, force: true })
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
 * The first SIGINT, SIGTERM or hang-up. Further ones change nothing: one Ctrl-C may arrive several times, from the
 * terminal and from npm or the watcher in between, and everything that is stopped has a deadline of its own.
 */
function onStopSignal(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(undefined))
    // npm does not pass SIGTERM on: started by it, we stop when it is gone.
    const parent = process.ppid
    if (process.env['npm_lifecycle_event'] === undefined) return
    setInterval(() => {
      if (process.ppid !== parent) resolve(undefined)
    }, 500).unref()
  })
}

/** Stops everything in the reverse order of its start as soon as a signal comes or one part ends. */
async function stopWithFirst(ends: Promise<string | undefined>[], stop: () => Promise<void>) {
  const reason = await Promise.race(ends)
  await stop()
  return reason
}
