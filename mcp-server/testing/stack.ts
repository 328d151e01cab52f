import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'
import { readMcpConfig } from '../config.ts'
import { startHttp } from '../http.ts'
import { createLog } from '../log.ts'
import { childEnvironment } from './clients.ts'

export interface Stack extends AsyncDisposable {
  core: TestApp
  /** Where MCP is served over HTTP. */
  mcpUrl: string
  /** The lines that the MCP server logged. */
  mcpLog: string[]
}

/** Starts core on its own database, the AI service as a process, and the MCP server over HTTP. */
export async function startStack(change: Parameters<typeof createTestApp>[0] = {}): Promise<Stack> {
  await using opened = new AsyncDisposableStack()
  const ai = opened.use(await startAiService())
  const core = opened.use(await createTestApp({ ai: { url: ai.url, secret: undefined, timeoutMs: 20_000 }, ...change }))
  const mcpLog: string[] = []
  const log = createLog('trace', { write: (line) => void mcpLog.push(line) })
  const { config } = readMcpConfig({ SVC_BASE_URL: core.url, MCP_PORT: '0', LOG_LEVEL: 'trace' })
  if (!config) throw new Error('the settings of the test are wrong')
  const mcp = opened.use(await startHttp(config, log))
  const stack = opened.move()
  return {
    core,
    mcpUrl: `http://127.0.0.1:${mcp.port}/mcp`,
    mcpLog,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function startAiService() {
  const child = fork(resolve(import.meta.dirname, '../../ai-service/main.ts'), {
    env: childEnvironment({ AI_PORT: '0' }),
    execArgv: [],
  })
  const port = await portOf(child)
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => stopChild(child),
  }
}

/** Returns the port that a child process reports. */
export async function portOf(child: ChildProcess): Promise<number> {
  const said = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => undefined)])
  const [message] = said ?? []
  if (typeof message === 'object' && message !== null && typeof message.port === 'number') return message.port
  throw new Error('the child process ended before it was ready')
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
