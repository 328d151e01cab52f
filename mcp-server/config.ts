import { parseArgs } from 'node:util'
import { z } from 'zod'
import { ClientEnvironment, clientSettings, type ClientSettings, parseEnvironment } from '../client/settings.ts'
import { readSelection, type Selection, type SelectionKey, selectionKeys } from './selection.ts'

const Environment = ClientEnvironment.extend({
  MCP_PORT: z.coerce
    .number('must be a port number')
    .int('must be a port number')
    .min(0)
    .max(65_535, 'must be at most 65535')
    .default(4100),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a pino level such as info')
    .default('info'),
  MCP_TOOLSETS: z.string().optional(),
  MCP_TOOLS: z.string().optional(),
  MCP_EXCLUDE_TOOLS: z.string().optional(),
  MCP_READ_ONLY: z.string().optional(),
  MCP_PROJECT: z.string().optional(),
})

export interface McpConfig {
  client: ClientSettings
  port: number
  logLevel: string
  /** The tools from which callers may choose. */
  selection: Selection
}

export type McpConfigResult = { config: McpConfig; problems: [] } | { config?: undefined; problems: string[] }

export type SelectionFlags = Partial<Record<SelectionKey, string>>

/** Reads the environment and the options, which take precedence, and reports all problems at once. */
export function readMcpConfig(environment: NodeJS.ProcessEnv, flags: SelectionFlags = {}): McpConfigResult {
  const { value: env, problems } = parseEnvironment(Environment, environment)
  if (!env) return { problems }
  const given = {
    toolsets: env.MCP_TOOLSETS,
    tools: env.MCP_TOOLS,
    exclude_tools: env.MCP_EXCLUDE_TOOLS,
    read_only: env.MCP_READ_ONLY,
    project: env.MCP_PROJECT,
    ...flags,
  }
  const read = readSelection(
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    (key) => (key in flags ? flagOf(key) : `MCP_${key.toUpperCase()}`),
  )
  if (!read.selection) return { problems: read.problems }
  return {
    problems: [],
    config: { client: clientSettings(env), port: env.MCP_PORT, logLevel: env.LOG_LEVEL, selection: read.selection },
  }
}

const flagOf = (key: string) => `--${key.replaceAll('_', '-')}`

const keys = Object.keys(selectionKeys) as SelectionKey[]
const keyOfFlag = new Map(keys.map((key) => [flagOf(key), key]))

const knownOptions: Readonly<Record<string, string>> = {
  '--http': 'serve streamable HTTP on MCP_PORT instead of stdio',
  '--help': 'show this text',
  '--version': 'show the version',
  ...Object.fromEntries(keys.map((key) => [flagOf(key), selectionKeys[key]])),
}

export type McpOptions =
  | { mode: 'stdio' | 'http' | 'help' | 'version'; flags: SelectionFlags; problem?: undefined }
  | { mode?: undefined; problem: string }

/** Refuses unknown options: a misspelled option must not mean the default. */
export function readMcpOptions(args: readonly string[]): McpOptions {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      keys.filter((key) => key !== 'read_only').map((key) => [flagOf(key).slice(2), { type: 'string' as const }]),
    ),
  })
  const flags: SelectionFlags = {}
  for (const token of tokens) {
    // Messages do not repeat values: one could be a token.
    const given = token.kind === 'option' ? token.rawName : 'argument'
    const key = keyOfFlag.get(given)
    if (token.kind === 'option' && key) {
      if (key !== 'read_only' && token.value === undefined) return { problem: `${given} needs a value.` }
      flags[key] = token.value ?? 'true'
    } else if (!Object.hasOwn(knownOptions, given) || (token.kind === 'option' && token.value !== undefined)) {
      return { problem: `Unknown option: ${given}. Known: ${Object.keys(knownOptions).join(', ')}.` }
    }
  }
  if (args.includes('--help')) return { mode: 'help', flags }
  if (args.includes('--version')) return { mode: 'version', flags }
  return { mode: args.includes('--http') ? 'http' : 'stdio', flags }
}

export const usage = [
  'The MCP server of Assay. Without an option it speaks MCP over stdio.',
  ...Object.entries(knownOptions).map(([option, meaning]) => `  ${option.padEnd(16)} ${meaning}`),
  'All options except --http, --help and --version can also be set in the environment: MCP_TOOLSETS, MCP_READ_ONLY and so on.',
].join('\n')
