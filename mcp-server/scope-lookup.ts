import type { Credentials } from '../client/credentials.ts'
import { newRequestId } from '../client/request-id.ts'
import type { Log } from './log.ts'

/** Cache time: the scopes of a token never change, but the token can be replaced. */
const cacheMs = 60_000
/** Clients wait for the list of tools at the start. Without an answer by then they get all tools. */
const timeoutMs = 2_000

/** Returns the scopes of the token; undefined where core does not respond, and decides at each call. */
export function createScopeLookup(log: Log) {
  let cached: { of: string; scopes: readonly string[]; until: number } | undefined
  return async ({ baseUrl, token }: Credentials, signal: AbortSignal): Promise<readonly string[] | undefined> => {
    if (token === undefined) return undefined
    const of = `${baseUrl} ${token}`
    if (cached?.of === of && cached.until > Date.now()) return cached.scopes
    const { createCoreClient } = await import('../client/core-client.ts')
    const core = createCoreClient({ baseUrl, token, requestId: newRequestId(), signal, timeoutMs })
    try {
      const { scopes } = await core.tokens.current.query()
      cached = { of, scopes, until: Date.now() + cacheMs }
      return scopes
    } catch (error) {
      log.debug({ err: error }, 'the scopes of the token are not known')
      return undefined
    }
  }
}
