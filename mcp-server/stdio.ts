import { join } from 'node:path'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { McpConfig } from './config.ts'
import { findCredentials } from '../client/credentials.ts'
import { guessRequestId, limitLines, lineProblem } from './protocol/line-limit.ts'
import { createLocalAnalyzer } from '../client/local-analysis.ts'
import { createLog } from './log.ts'
import { createRecentSuggestions } from './answers/recent-suggestions.ts'
import { createScopeLookup } from './scope-lookup.ts'
import { createServer } from './server.ts'
import type { Runtime } from './runtime.ts'
import { loadTools } from './tools/load.ts'

const maxMessageBytes = 10 * 1_048_576
/** Larger than any accepted line and the chunk after it: a full buffer would end the connection. */
const transportBuffer = 2 * maxMessageBytes

/** Serves the client that started this process, until it closes stdin or sends a signal. */
export function runStdio(config: McpConfig): void {
  const log = createLog(config.logLevel, 'stderr')
  const local = createLocalAnalyzer(join(config.client.dataDir, 'working-trees'))
  const scopes = createScopeLookup(log)
  const runtime: Runtime = {
    log,
    local,
    suggestions: createRecentSuggestions(),
    caller: async (ctx, needs) => {
      const credentials = await findCredentials(config.client)
      return {
        ...credentials,
        key: 'stdio',
        scopes: needs.scopes ? await scopes(credentials, ctx.mcpReq.signal) : undefined,
        selection: config.selection,
      }
    },
  }
  const refuse = (id: string | number | null, error: { code: number; message: string }) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`)
  const tooLong = { code: -32_600, message: `The message was not read: it is over ${maxMessageBytes / 1_048_576} MiB.` }
  const messages = limitLines(
    maxMessageBytes,
    (line) => {
      refuse(guessRequestId(line) ?? null, tooLong)
      log.warn({ limit: maxMessageBytes }, 'a message was too long')
    },
    (line) => {
      const problem = lineProblem(line)
      if (problem) refuse(null, problem)
      return !problem
    },
  )
  process.stdin.pipe(messages)
  // The answer to the first message does not wait for the tools, which clients ask for next.
  process.stdin.once('data', () => setImmediate(() => setImmediate(() => void loadTools())))
  const serving = serveStdio(() => createServer(runtime, config.selection), {
    transport: new StdioServerTransport(messages, process.stdout, { maxBufferSize: transportBuffer }),
    onerror: (error) => log.warn({ err: error }, 'protocol'),
  })

  const stop = async () => {
    local[Symbol.dispose]()
    await serving.close()
    process.exit(0)
  }
  process.stdin.once('end', () => void stop())
  process.stdin.once('close', () => void stop())
  process.once('SIGTERM', () => void stop())
  process.once('SIGINT', () => void stop())
}
