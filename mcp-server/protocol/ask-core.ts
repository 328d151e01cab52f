import { randomUUID } from 'node:crypto'
import { ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server'
import type { CoreClient } from '../../client/core-client.ts'
import type { Caller, Runtime } from '../server.ts'

/** What a request other than a tool's call gets to work with. */
export interface Asking {
  caller: Caller
  /**
   * What core answers; undefined where it says that there is no such thing.
   *
   * @throws the protocol's error with what failed and what to do, for every other failure; also where core's answer is
   * not what core would answer, which `question` finds out
   */
  ask: <T>(question: (core: CoreClient) => Promise<T>) => Promise<T | undefined>
}

/** Core for a request other than a tool's call. */
export async function askCore(runtime: Runtime, ctx: ServerContext): Promise<Asking> {
  const caller = await runtime.caller(ctx, { scopes: false })
  // Loaded with the first question: a client that only lists starts us faster.
  const { coreFailure, createCoreClient } = await import('../../client/core-client.ts')
  const { baseUrl, token, selection, source } = caller
  const { projectId } = selection
  const core = createCoreClient({ baseUrl, token, projectId, requestId: randomUUID(), signal: ctx.mcpReq.signal })
  return {
    caller,
    ask: async (question) => {
      try {
        return await question(core)
      } catch (error) {
        if (error instanceof ProtocolError) throw error
        const failure = coreFailure(error) ?? { kind: 'not_core' as const }
        if (failure.kind === 'not_core') runtime.log.error({ err: error }, 'no answer of core')
        if (failure.kind === 'refused' && failure.code === 'NOT_FOUND') return undefined
        const { explainFailure } = await import('../answers/explain-failure.ts')
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          explainFailure(failure, baseUrl, { source, projectId }),
        )
      }
    },
  }
}
