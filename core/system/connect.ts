import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { Connect, StdioServer } from './schema.ts'

const projectRoot = resolve(import.meta.dirname, '../..')

/** Returns how agents reach the MCP server of this installation. Paths of this machine appear only in local mode. */
export function connectionOf(config: Config): Connect {
  if (!config.local) return { mcpUrl: null, stdio: null }
  const port = config.port === 0 ? new URL(config.baseUrl).port : config.port
  return {
    // With port 0, only the MCP server knows its port.
    mcpUrl: config.mcpPort === 0 ? null : `http://127.0.0.1:${config.mcpPort}/mcp`,
    stdio: stdioServer(config, `http://localhost:${port}`),
  }
}

/** Returns the command that starts the MCP server over stdio, with the settings that differ from its defaults. */
export function stdioServer({ dataDir }: Pick<Config, 'dataDir'>, coreUrl: string): StdioServer {
  return {
    command: process.execPath,
    args: [resolve(projectRoot, 'mcp-server/start.mjs')],
    env: {
      ...(coreUrl === 'http://localhost:4000' ? {} : { SVC_BASE_URL: coreUrl }),
      ...(dataDir === resolve(projectRoot, '.data') ? {} : { DATA_DIR: dataDir }),
    },
  }
}
