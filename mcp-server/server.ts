import { type McpServer, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server'
import type { Credentials } from '../client/credentials.ts'
import type { LocalAnalyzer } from '../client/local-analysis.ts'
import { cleanLine, shorten } from '../client/sanitize.ts'
import packageInfo from '../package.json' with { type: 'json' }
import { callAsTask } from './protocol/call-as-task.ts'
import { callTool } from './protocol/call-tool.ts'
import { askingOptions, createAsker } from './protocol/confirmation.ts'
import { serveCompletions } from './protocol/completions.ts'
import { coreTasks } from './protocol/core-tasks.ts'
import { instructionsFor } from './instructions.ts'
import { listTools, withoutNeedOfProject } from './protocol/list-tools.ts'
import type { Log } from './log.ts'
import { servePrompts } from './protocol/prompts.ts'
import type { RecentSuggestions } from './answers/recent-suggestions.ts'
import { serveResources } from './protocol/resources.ts'
import { isBeyondProject, type Selection, selectTools } from './selection.ts'
import { serveTasks, TaskServer, type TaskSource } from './protocol/tasks.ts'

/** Who asks, and what for. */
export interface Caller {
  baseUrl: string
  token: string | undefined
  /** Tells callers apart without giving the token away. */
  key: string
  /** Where the token was found; undefined where the caller brought it. */
  source?: Credentials['source'] | undefined
  /** Of the token; undefined where core has not said, and decides at the call. */
  scopes: readonly string[] | undefined
  /** The caller's choice within the operator's. */
  selection: Selection
}

/** What all connections of a process share. */
export interface Runtime {
  log: Log
  suggestions: RecentSuggestions
  /** Present over stdio only. */
  local: LocalAnalyzer | undefined
  /** @param needs - whether the scopes matter to what is asked; to find them out may take a call to core */
  caller: (ctx: ServerContext, needs: { scopes: boolean }) => Promise<Caller>
}

/**
 * A server for one connection or one request; cheap, since all that is costly is made once per process.
 *
 * @param selection - of the caller, as far as it is known before anything is asked
 */
export function createServer(runtime: Runtime, selection: Selection): McpServer {
  const mcp = new TaskServer(
    { name: 'assay', title: 'Assay', version: packageInfo.version },
    {
      capabilities: {},
      instructions: instructionsFor(selection, runtime.local !== undefined),
      ...askingOptions,
      cacheHints: { 'tools/list': { ttlMs: 300_000, cacheScope: 'private' } },
    },
  )
  const tasks = coreTasks(mcp.server, runtime)
  serveTools(mcp, runtime, tasks)
  serveTasks(mcp, tasks)
  serveResources(mcp, runtime)
  servePrompts(mcp)
  serveCompletions(mcp, runtime)
  return mcp
}

/**
 * The low-level handlers, for the sake of our own words for what is wrong with arguments, and of schemas that are made
 * once instead of for every request.
 */
function serveTools({ server }: McpServer, runtime: Runtime, tasks: TaskSource): void {
  server.registerCapabilities({ tools: {} })
  server.setRequestHandler('tools/list', async (_request, ctx) => {
    const { selection, scopes } = await runtime.caller(ctx, { scopes: true })
    const listed = listTools(selectTools(selection, scopes), runtime.local !== undefined)
    return { tools: selection.projectId === undefined ? listed : listed.map(withoutNeedOfProject) }
  })
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const caller = await runtime.caller(ctx, { scopes: false })
    // Those that the token's scopes do not allow are refused by core, which says which scope is missing.
    const offered = selectTools(caller.selection)
    const tool = offered.find(({ name }) => name === params.name)
    if (!tool) {
      const known = offered.map(({ name }) => name).join(', ')
      const asked = shorten(cleanLine(params.name), 60)
      const { projectId } = caller.selection
      if (projectId !== undefined && isBeyondProject(params.name)) {
        const why = `this server is confined to the project ${projectId}`
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${asked} is not here: ${why}. There are: ${known}.`)
      }
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${asked}. There are: ${known}.`)
    }
    return callAsTask(tool, params.arguments, ctx, tasks, (given) =>
      callTool(tool, given, ctx, runtime, caller, createAsker(server, ctx)),
    )
  })
}
