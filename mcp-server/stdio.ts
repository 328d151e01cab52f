import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { McpConfig } from './config.ts'
import { createLocalAnalyzer } from './local-analysis.ts'
import { createLog } from './log.ts'
import { createRecentSuggestions } from './recent-suggestions.ts'
import { createServer, type Runtime } from './server.ts'

/** Serves the client that started this process, until it hangs up or says stop. */
export function runStdio(config: McpConfig): void {
  const log = createLog(config.logLevel, 'stderr')
  const local = createLocalAnalyzer(join(config.dataDir, 'working-trees'))
  const runtime: Runtime = {
    baseUrl: config.baseUrl,
    log,
    local,
    suggestions: createRecentSuggestions(),
    credential: async () => ({
      token: config.token ?? (await readTokenFile(join(config.dataDir, 'token'))),
      caller: 'stdio',
    }),
  }
  const serving = serveStdio(() => createServer(runtime), { onerror: (error) => log.warn({ err: error }, 'protocol') })

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

/** Read for every call, so that a core started later, or anew, needs no restart here. */
async function readTokenFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim() || undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
