import type { Runtime } from './runtime.ts'
import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { cleanLine, shorten } from '../client/sanitize.ts'
import packageInfo from '../package.json' with { type: 'json' }
import { callAsTask } from './protocol/call-as-task.ts'
import { callTool } from './protocol/call-tool.ts'
import { askingOptions, createAsker } from './protocol/confirmation.ts'
import { serveCompletions } from './protocol/completions.ts'
import { coreTasks } from './protocol/core-tasks.ts'
import { instructionsFor } from './instructions.ts'
import { listTools, withoutNeedOfProject } from './protocol/list-tools.ts'
import { servePrompts } from './protocol/prompts.ts'
import { serveResources } from './protocol/resources.ts'
import { isBeyondProject, type Selection, selectTools, whyNotOffered } from './selection.ts'
import { serveTasks, TaskServer, type TaskSource } from './protocol/tasks.ts'
import { loadTools } from './tools/load.ts'

/**
 * Creates a server for one connection or one request. Costly parts are created once per process.
 *
 * @param selection - the caller's selection, if it is known before the first request
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
 * Uses the low-level handlers, for better messages about wrong arguments, and to build schemas once instead of for every
 * request.
 */
function serveTools({ server }: McpServer, runtime: Runtime, tasks: TaskSource): void {
  server.registerCapabilities({ tools: {} })
  server.setRequestHandler('tools/list', async (_request, ctx) => {
    const { selection, scopes } = await runtime.caller(ctx, { scopes: true })
    const { definitionsOf } = await loadTools()
    const listed = listTools(definitionsOf(selectTools(selection, scopes)), runtime.local !== undefined)
    return { tools: selection.projectId === undefined ? listed : listed.map(withoutNeedOfProject) }
  })
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const caller = await runtime.caller(ctx, { scopes: false })
    // Core refuses tools that need another scope, and names the scope.
    const offered = selectTools(caller.selection)
    const { definitionsOf } = await loadTools()
    const [tool] = definitionsOf(offered.filter(({ name }) => name === params.name))
    if (!tool) {
      const known = offered.map(({ name }) => name).join(', ')
      const asked = shorten(cleanLine(params.name), 60)
      const { projectId } = caller.selection
      if (projectId !== undefined && isBeyondProject(params.name)) {
        const why = `this server is confined to the project ${projectId}`
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${asked} is not available: ${why}. Tools: ${known}.`)
      }
      const why = whyNotOffered(params.name, caller.selection)
      const problem = why === undefined ? `Unknown tool ${asked}.` : `${asked} is not available: ${why}`
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${problem} Tools: ${known}.`)
    }
    return callAsTask(tool, params.arguments, ctx, tasks, (given) =>
      callTool(tool, given, ctx, runtime, caller, createAsker(server, ctx)),
    )
  })
}
