import { randomUUID } from 'node:crypto'
import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { UserError } from '../../client/user-error.ts'
import type { Asker } from './confirmation.ts'
import type { Log } from '../log.ts'
import type { Caller, Runtime } from '../server.ts'
import type { Call, Tool } from '../tools/tool.ts'

/**
 * Runs a tool for a caller; the result may be a question to its user. Failures are results, in words for the agent;
 * details of defects are in the log alone.
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
  const requestId = randomUUID()
  const log = runtime.log.child({ tool: tool.name, requestId })
  const { signal } = ctx.mcpReq
  // Loaded with the first call: a client that only lists tools starts us faster.
  const { coreFailure, createCoreClient } = await import('../../client/core-client.ts')
  const { baseUrl, token, key, selection } = caller
  try {
    const core = createCoreClient({ baseUrl, token, projectId: selection.projectId, requestId, signal })
    const { local, suggestions } = runtime
    const asking = ask ? { ask } : {}
    const call: Call = { core, caller: key, local, suggestions, signal, ...asking, ...progressReporter(ctx, log) }
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
      ? `${tool.name} failed. ${(await import('../answers/explain-failure.ts')).explainFailure(failure, baseUrl, tool.scope)}`
      : explain(error, tool.name, requestId, signal)
    const ms = Math.round(performance.now() - startedAt)
    if (isDefect) log.error({ ms, err: error }, 'failed')
    else log.info({ ms }, 'refused')
    return { content: [{ type: 'text', text }], isError: true }
  }
}

function explain(error: unknown, tool: string, requestId: string, signal: AbortSignal): string {
  if (error instanceof UserError) return error.message
  if (signal.aborted) return `${tool} was cancelled.`
  return `${tool} failed inside the MCP server. Its log has the details under request id ${requestId}.`
}

/** Progress must rise, and is told at most four times a second: clients pay for every notification. */
function progressReporter(ctx: ServerContext, log: Log): Pick<Call, 'wantsProgress' | 'reportProgress'> {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return { wantsProgress: false, reportProgress: () => {} }
  let reported = -1
  let reportedAt = 0
  return {
    wantsProgress: true,
    reportProgress: ({ done, total, message }) => {
      const now = performance.now()
      if (done <= reported || now - reportedAt < 250) return
      reported = done
      reportedAt = now
      const params = { progressToken, progress: done, total, message }
      ctx.mcpReq
        .notify({ method: 'notifications/progress', params })
        .catch((error: unknown) => log.debug({ err: error }, 'progress was not delivered'))
    },
  }
}
