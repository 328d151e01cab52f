import { catalog, type CatalogEntry, defaultToolsets, entries, type Toolset, toolsetNames } from './tools/catalog.ts'

/** Which tools are offered. The operator's choice bounds the caller's. */
export interface Selection {
  /** Names of tools; undefined for the default. */
  chosen: Set<string> | undefined
  excluded: Set<string>
  readOnly: boolean
  /** The only project that calls may use. */
  projectId: string | undefined
}

export type SelectionKey = 'toolsets' | 'tools' | 'exclude_tools' | 'read_only' | 'project'

/** The choices with their meaning, for help and error messages. */
export const selectionKeys: Readonly<Record<SelectionKey, string>> = {
  toolsets: `which sets of tools: ${toolsetNames.join(', ')}, default or all`,
  tools: 'single tools, alone or in addition to toolsets',
  exclude_tools: 'tools to exclude',
  read_only: 'exclude every tool that changes data',
  project: 'the id of the only project that calls may use',
}

export type ReadSelection = { selection: Selection; problems: [] } | { selection?: undefined; problems: string[] }

/**
 * Reads a choice from a command line, the environment, headers or a query. Reports everything that it does not know: a
 * misspelled limit must not mean no limit.
 *
 * @param nameOf - spells a key for messages, as its source does
 */
export function readSelection(
  given: Partial<Record<SelectionKey, string>>,
  nameOf: (key: SelectionKey) => string,
): ReadSelection {
  const problems: string[] = []
  const lists = {
    toolsets: listOf(given.toolsets),
    tools: listOf(given.tools),
    exclude_tools: listOf(given.exclude_tools),
  }
  const known = { toolsets: ['default', 'all', ...toolsetNames], tools: toolNames, exclude_tools: toolNames }
  for (const key of ['toolsets', 'tools', 'exclude_tools'] as const) {
    const unknown = lists[key]?.filter((name) => !known[key].includes(name)) ?? []
    if (given[key] !== undefined && lists[key]?.length === 0) problems.push(`${nameOf(key)} is empty`)
    if (unknown.length > 0) {
      const shown = unknown.slice(0, 3).map((name) => name.replaceAll(/[^\w-]/g, '?').slice(0, 40))
      problems.push(`${nameOf(key)} has unknown names: ${shown.join(', ')}. Known: ${known[key].join(', ')}`)
    }
  }
  const readOnly = given.read_only === undefined ? false : booleans.get(given.read_only.toLowerCase())
  if (readOnly === undefined) problems.push(`${nameOf('read_only')} must be true or false`)
  const projectId = given.project
  if (projectId !== undefined && !/^[0-9A-Z]{26}$/.test(projectId)) {
    problems.push(`${nameOf('project')} must be a project's id: 26 digits and capital letters`)
  }
  if (problems.length > 0 || readOnly === undefined) return { problems }
  const chosen =
    lists.toolsets || lists.tools
      ? new Set([...(lists.toolsets ?? []).flatMap(namesOfSet), ...(lists.tools ?? [])])
      : undefined
  return { selection: { chosen, excluded: new Set(lists.exclude_tools), readOnly, projectId }, problems: [] }
}

export const everything: Selection = { chosen: undefined, excluded: new Set(), readOnly: false, projectId: undefined }

/** Returns the caller's choice within the operator's; undefined where they name different projects. */
export function within(operator: Selection, caller: Selection): Selection | undefined {
  const { projectId = caller.projectId } = operator
  if (caller.projectId !== undefined && caller.projectId !== projectId) return undefined
  const { chosen = operator.chosen } = caller
  const bound = operator.chosen
  return {
    chosen: chosen && bound ? chosen.intersection(bound) : chosen,
    excluded: operator.excluded.union(caller.excluded),
    readOnly: operator.readOnly || caller.readOnly,
    projectId,
  }
}

/**
 * Returns the tools to offer, in their order.
 *
 * @param scopes - the scopes of the caller's token; undefined where they are unknown, and core decides at the call
 */
export function selectTools(
  { chosen, excluded, readOnly, projectId }: Selection,
  scopes?: readonly string[],
): CatalogEntry[] {
  const wanted = chosen ?? defaultNames
  return entries.filter(
    ({ name, readOnly: isReadOnly, scope }) =>
      wanted.has(name) &&
      !excluded.has(name) &&
      (!readOnly || isReadOnly) &&
      (projectId === undefined || !isBeyondProject(name)) &&
      (scope === null || scopes === undefined || scopes.includes(scope)),
  )
}

/** Says why a tool is not offered, and how to enable it; undefined for a name that no tool has. */
export function whyNotOffered(name: string, { excluded, readOnly }: Selection): string | undefined {
  const set = toolsetNames.find((each) => namesOf(each).includes(name))
  const tool = entries.find((each) => each.name === name)
  if (set === undefined || !tool) return undefined
  if (excluded.has(name)) return 'it is excluded by --exclude-tools, MCP_EXCLUDE_TOOLS or X-Svc-Exclude-Tools.'
  if (readOnly && !tool.readOnly) return 'this server offers only tools that change nothing.'
  return (
    `it is in the toolset ${set}, which is off. Enable it with --toolsets default,${set} over stdio, MCP_TOOLSETS, or ` +
    `?toolsets=default,${set} over HTTP.`
  )
}

/** Core refuses these tools to callers that are confined to one project. */
export const isBeyondProject = (name: string) => beyondProject.has(name)

const beyondProject = new Set([
  'create_project',
  'list_repositories',
  ...catalog.organizations.map(({ name }) => name),
  ...catalog.account.map(({ name }) => name).filter((name) => name !== 'get_profile'),
])

const toolNames = entries.map(({ name }) => name)

const namesOf = (set: Toolset): string[] => catalog[set].map(({ name }) => name)

const defaultNames = new Set(defaultToolsets.flatMap(namesOf))

function namesOfSet(set: string): string[] {
  if (set === 'all') return toolNames
  return set === 'default' ? [...defaultNames] : namesOf(set as Toolset)
}

const listOf = (text: string | undefined) =>
  text
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])
