import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { CoreClient } from '../../client/core-client.ts'
import { newRequestId } from '../../client/request-id.ts'
import { UserError } from '../../client/user-error.ts'
import type { Asker } from './confirmation.ts'
import type { Log } from '../log.ts'
import { risingProgress } from './rising-progress.ts'
import type { Caller, Runtime } from '../runtime.ts'
import type { Call, Tool } from '../tools/tool.ts'

const importCoreClient = () => import('../../client/core-client.ts')
let loading: ReturnType<typeof importCoreClient> | undefined
/** Loaded with the first call, so that the server starts faster for clients that only list tools. */
const loadCoreClient = () => (loading ??= importCoreClient())

/**
 * Runs a tool for a caller. The result can be a question to the user. Failures are results with a message for the agent;
 * only the log has the details of defects.
 */
export async function callTool(
  tool: Tool,
  given: unknown,
  ctx: ServerContext,
  runtime: Runtime,
  caller: Caller,
  { ask, question }: Asker,
): Promise<CallToolResult | InputRequiredResult> {
  const startedAt = performance.now()
  const requestId = newRequestId()
  const log = runtime.log.child({ tool: tool.name, requestId })
  const { signal } = ctx.mcpReq
  const { coreFailure, createCoreClient } = await loadCoreClient()
  const { baseUrl, token, key, selection, source, tokenFile } = caller
  const { projectId } = selection
  try {
    const core = createCoreClient({ baseUrl, token, projectId, requestId, signal })
    const { local, suggestions } = runtime
    const asking = ask ? { ask } : {}
    const sendTree: Call['sendTree'] =
      local &&
      (async (id, root, options) => {
        const { sendChanges } = await import('../../client/snapshot.ts')
        return sendChanges(core, { baseUrl, token }, { id }, root, options)
      })
    const call: Call = {
      core,
      caller: key,
      local,
      sendTree,
      suggestions,
      projectId,
      signal,
      ...asking,
      ...progressReporter(ctx, log),
    }
    if (projectId !== undefined) await requirePinned(core, projectId, runtime, key)
    const answer = await tool.answer(given, call)
    if (answer === 'asked') {
      log.info({ ms: Math.round(performance.now() - startedAt) }, 'asked')
      return question()
    }
    const { text, structured } = answer
    log.info({ ms: Math.round(performance.now() - startedAt), bytes: text.length }, 'done')
    return { content: [{ type: 'text', text }], structuredContent: structured }
  } catch (error) {
    const failure = coreFailure(error)
    const isDefect = !(error instanceof UserError) && !failure && !signal.aborted
    const text = failure
      ? `${tool.name} failed. ${(await import('../answers/explain-failure.ts')).explainFailure(failure, { baseUrl, source, tokenFile, projectId })}`
      : explain(error, tool.name, requestId, signal, baseUrl)
    const ms = Math.round(performance.now() - startedAt)
    if (isDefect) log.error({ ms, err: error }, 'failed')
    else log.info({ ms }, 'refused')
    return { content: [{ type: 'text', text }], isError: true }
  }
}

/** The callers and pinned projects that core has confirmed. */
const seen = new WeakMap<Runtime, Set<string>>()
const maxSeen = 10_000

/** Makes the first call say clearly that the caller has no access to the pinned project. */
async function requirePinned(core: CoreClient, projectId: string, runtime: Runtime, caller: string): Promise<void> {
  const known = seen.get(runtime) ?? new Set()
  seen.set(runtime, known)
  const one = `${caller} ${projectId}`
  if (known.has(one)) return
  try {
    await core.projects.getProject.query({ projectId })
  } catch (error) {
    const { isRefusal } = await loadCoreClient()
    if (isRefusal(error, 'NOT_FOUND')) {
      throw new UserError(
        `This server is confined to the project ${projectId}, which does not exist or is not yours. ` +
          'Correct it where the server is configured: MCP_PROJECT, or the header or query of the address.',
      )
    }
    // A token without projects:read can have other scopes.
    if (!isRefusal(error, 'FORBIDDEN')) throw error
  }
  if (known.size >= maxSeen) known.clear()
  known.add(one)
}

function explain(error: unknown, tool: string, requestId: string, signal: AbortSignal, baseUrl: string): string {
  if (error instanceof UserError) return error.message
  if (signal.aborted) return `${tool} was cancelled.`
  if (error instanceof TypeError || error instanceof z.ZodError) {
    return (
      `${tool} failed. The server at ${baseUrl} is not Assay, or has another version: its answer has an unknown ` +
      `shape. The MCP server's log has the details under request id ${requestId}.`
    )
  }
  return `${tool} failed inside the MCP server. Its log has the details under request id ${requestId}.`
}

/** Reports news only, at most four times a second: clients pay for every notification. */
function progressReporter(ctx: ServerContext, log: Log): Pick<Call, 'wantsProgress' | 'reportProgress'> {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return { wantsProgress: false, reportProgress: () => {} }
  const rising = risingProgress()
  let reportedAt = 0
  return {
    wantsProgress: true,
    reportProgress: (given) => {
      const now = performance.now()
      const progress = now - reportedAt < 250 ? null : rising(given)
      if (progress === null) return
      reportedAt = now
      const { done, total, message } = progress
      const params = { progressToken, progress: done, total, message }
      ctx.mcpReq
        .notify({ method: 'notifications/progress', params })
        .catch((error: unknown) => log.debug({ err: error }, 'progress was not delivered'))
    },
  }
}
