import { ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server'
import type { CoreClient } from '../../client/core-client.ts'
import { newRequestId } from '../../client/request-id.ts'
import type { Caller, Runtime } from '../runtime.ts'

/** Access to core for requests other than tool calls. */
export interface Asking {
  caller: Caller
  /**
   * Returns core's answer; undefined for NOT_FOUND.
   *
   * @throws ProtocolError that says what failed and what to do next, for every other failure and for answers that are
   * not core's
   */
  ask: <T>(question: (core: CoreClient) => Promise<T>) => Promise<T | undefined>
}

/** Prepares calls to core for a request other than a tool call. */
export async function askCore(runtime: Runtime, ctx: ServerContext): Promise<Asking> {
  const caller = await runtime.caller(ctx, { scopes: false })
  // Loaded with the first question, so that the server starts faster for clients that only list.
  const { coreFailure, createCoreClient } = await import('../../client/core-client.ts')
  const { baseUrl, token, selection, source, tokenFile } = caller
  const { projectId } = selection
  const core = createCoreClient({ baseUrl, token, projectId, requestId: newRequestId(), signal: ctx.mcpReq.signal })
  return {
    caller,
    ask: async (question) => {
      try {
        return await question(core)
      } catch (error) {
        if (error instanceof ProtocolError) throw error
        const failure = coreFailure(error) ?? { kind: 'not_core' as const }
        if (failure.kind === 'not_core') runtime.log.error({ err: error }, "the answer is not core's")
        if (failure.kind === 'refused' && failure.code === 'NOT_FOUND') return undefined
        const { explainFailure } = await import('../answers/explain-failure.ts')
        const why = explainFailure(failure, { baseUrl, source, tokenFile, projectId })
        throw new ProtocolError(ProtocolErrorCode.InternalError, why)
      }
    },
  }
}
