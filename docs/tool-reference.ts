import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { listTools } from '../mcp-server/protocol/list-tools.ts'
import { tokensOfTool } from '../mcp-server/tools/tokens.ts'
import { defaultToolsets, type Toolset, toolsetNames } from '../mcp-server/tools/catalog.ts'
import { toolsets } from '../mcp-server/tools/index.ts'
import type { Hints, Tool } from '../mcp-server/tools/tool.ts'

interface Property {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  items?: Property
  anyOf?: Property[]
  minimum?: number
  maximum?: number
  default?: unknown
  description?: string
}

const about: Record<Toolset, string> = {
  core: 'Suggestions, test runs and their failures. Listed by default.',
  webhooks: 'Events for programs of your own. Listed by default.',
  tests: 'Requests about tests that a person decides.',
  projects: 'Settings, changes and deletion of projects.',
  organizations: 'Organizations and their members.',
  account: 'The user who owns the token.',
}

/** Returns `docs/mcp-tools.md`, generated from the tools that the server lists. */
export function toolReference(): string {
  const sets = toolsetNames.map((set) => ({ set, tools: toolsets[set] as readonly Tool[] }))
  const sum = (names: readonly Toolset[]) =>
    sets.filter(({ set }) => names.includes(set)).reduce((total, { tools }) => total + tokensOfAll(tools), 0)
  return [
    '# The tools of the MCP server',
    '`npm run docs` generates this page from the tools. [connect.md](connect.md#choose-the-tools) explains how to choose tools, and [mcp.md](mcp.md) what their answers have in common.',
    `Tokens are the cost of a tool's name, description and arguments in every conversation (o200k_base, over stdio): ${sum(defaultToolsets)} for the ${counted(sets.filter(({ set }) => defaultToolsets.includes(set)))} tools of the default sets, ${sum(toolsetNames)} for all ${counted(sets)}.`,
    table(
      ['toolset', 'tools', 'tokens'],
      sets.map(({ set, tools }) => [
        `[\`${set}\`](#${set})`,
        tools.map(({ name }) => `[\`${name}\`](#${name})`).join(', '),
        String(tokensOfAll(tools)),
      ]),
    ),
    ...sets.flatMap(({ set, tools }) => [`## ${set}`, about[set], ...tools.flatMap(section)]),
    '',
  ].join('\n\n')
}

const counted = (sets: readonly { tools: readonly Tool[] }[]) =>
  sets.reduce((total, { tools }) => total + tools.length, 0)

const tokensOfAll = (tools: readonly Tool[]) =>
  listTools(tools, true).reduce((total, listed) => total + tokensOfTool(listed), 0)

function section(tool: Tool): string[] {
  const listed = listTools([tool], true)[0]
  if (!listed) return []
  const { name, scope, hints, localArguments } = tool
  const scopeText = scope === null ? 'any token' : `scope \`${scope}\``
  return [
    `### ${name}`,
    escaped(listed.description ?? ''),
    `Requires ${scopeText}; ${hintsInWords(hints)}; ${tokensOfTool(listed)} tokens.`,
    ...argumentTable(listed, localArguments),
    `Answer: ${fieldsOf(listed.outputSchema)}.`,
  ]
}

function argumentTable({ inputSchema }: ListedTool, local: readonly string[]): string[] {
  const properties = Object.entries((inputSchema.properties ?? {}) as Record<string, Property>)
  if (properties.length === 0) return ['Takes no arguments.']
  const rows = properties.map(([name, property]) => [
    `\`${name}\`${inputSchema.required?.includes(name) ? ', required' : ''}`,
    typeOf(property),
    [property.description, local.includes(name) ? 'over stdio only' : undefined]
      .filter((text) => text !== undefined)
      .join('; '),
  ])
  return [table(['argument', 'type', 'meaning'], rows)]
}

function fieldsOf(schema: ListedTool['outputSchema']): string {
  const required = (schema?.required ?? []) as string[]
  const fields = Object.keys(schema?.properties ?? {})
  return fields.map((name) => `\`${name}\`${required.includes(name) ? '' : '?'}`).join(', ')
}

function hintsInWords({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: Hints): string {
  return [
    readOnlyHint ? 'read-only' : destructiveHint ? 'irreversible' : 'changes data',
    idempotentHint ? 'safe to repeat' : 'acts again when repeated',
    ...(openWorldHint ? ['returns text from repositories or AI'] : []),
  ].join(', ')
}

function typeOf(property: Property): string {
  if (property.anyOf) return property.anyOf.map(typeOf).join(' or ')
  if (property.const !== undefined) return `\`${JSON.stringify(property.const)}\``
  if (property.enum) return property.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (property.type === 'array') return `list of ${property.items ? typeOf(property.items) : 'anything'}`
  // The listed schema leaves out a minimum of 0.
  const { minimum, maximum } = property
  const bounds = maximum !== undefined ? `, ${minimum ?? 0} to ${maximum}` : minimum ? `, from ${minimum}` : ''
  const standard = property.default === undefined ? '' : `, default ${JSON.stringify(property.default)}`
  return `${[property.type ?? 'anything'].flat().join(' or ')}${bounds}${standard}`
}

function table(columns: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Descriptions are plain text. */
const escaped = (text: string) => text.replaceAll(/[<*_]/g, String.raw`\$&`)
