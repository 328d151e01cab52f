import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'

/** The folder that relative settings are relative to, wherever an MCP client starts us. */
const projectRoot = resolve(import.meta.dirname, '..')

const Environment = z.object({
  SVC_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .default('http://localhost:4000'),
  SVC_API_TOKEN: z
    .string()
    .regex(/^svc_[\w-]+$/, 'must be a token that begins with svc_')
    .optional(),
  DATA_DIR: z.string().default('.data'),
  MCP_PORT: z.coerce
    .number('must be a port number')
    .int('must be a port number')
    .min(0)
    .max(65_535, 'must be at most 65535')
    .default(4100),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a pino level such as info')
    .default('info'),
})

export interface McpConfig {
  /** Core's address, without a slash at the end. */
  baseUrl: string
  /** The token of the stdio transport; over HTTP each caller brings its own. */
  token: string | undefined
  /** Absolute. Local mode leaves a token there, for when none is set. */
  dataDir: string
  port: number
  logLevel: string
}

export type McpConfigResult = { config: McpConfig; problems: [] } | { config?: undefined; problems: string[] }

/** Reads the environment and names everything wrong at once. An empty setting counts as absent. */
export function readMcpConfig(environment: NodeJS.ProcessEnv): McpConfigResult {
  const parsed = Environment.safeParse(
    Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== '')),
  )
  if (!parsed.success) {
    return { problems: parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`) }
  }
  const env = parsed.data
  return {
    problems: [],
    config: {
      baseUrl: env.SVC_BASE_URL.replace(/\/+$/, ''),
      token: env.SVC_API_TOKEN,
      dataDir: resolve(projectRoot, env.DATA_DIR),
      port: env.MCP_PORT,
      logLevel: env.LOG_LEVEL,
    },
  }
}

const knownOptions = {
  '--http': 'serve streamable HTTP on MCP_PORT instead of stdio',
  '--help': 'show this text',
} as const

export type McpOptions =
  | { mode: 'stdio' | 'http' | 'help'; problem?: undefined }
  | { mode?: undefined; problem: string }

/** An option that is not known is an error: a misspelt one must never mean the default. */
export function readMcpOptions(args: readonly string[]): McpOptions {
  const { tokens } = parseArgs({ args: [...args], strict: false, tokens: true })
  for (const token of tokens) {
    // Values are not repeated: one of them may be a token.
    const given = token.kind === 'option' ? token.rawName : 'argument'
    if (!Object.hasOwn(knownOptions, given) || (token.kind === 'option' && token.value !== undefined)) {
      return { problem: `Unknown option: ${given}. Known: ${Object.keys(knownOptions).join(', ')}.` }
    }
  }
  if (args.includes('--help')) return { mode: 'help' }
  return { mode: args.includes('--http') ? 'http' : 'stdio' }
}

export const usage = [
  'The MCP server of Assay. Without an option it speaks MCP over stdio.',
  ...Object.entries(knownOptions).map(([option, meaning]) => `  ${option.padEnd(8)} ${meaning}`),
].join('\n')
