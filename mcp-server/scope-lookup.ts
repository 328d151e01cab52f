import { randomUUID } from 'node:crypto'
import type { Credentials } from '../client/credentials.ts'
import type { Log } from './log.ts'

/** How long scopes are believed; a token's never change, but the token may. */
const believedMs = 60_000
/** A client waits for its list of tools at the start: without an answer by then it gets all of them. */
const patienceMs = 2_000

/** Finds the scopes of the token in use; undefined where core does not say, and decides at each call. */
export function createScopeLookup(log: Log) {
  let believed: { of: string; scopes: readonly string[]; until: number } | undefined
  return async ({ baseUrl, token }: Credentials, signal: AbortSignal): Promise<readonly string[] | undefined> => {
    if (token === undefined) return undefined
    const of = `${baseUrl} ${token}`
    if (believed?.of === of && believed.until > Date.now()) return believed.scopes
    const { createCoreClient } = await import('../client/core-client.ts')
    const core = createCoreClient({ baseUrl, token, requestId: randomUUID(), signal, timeoutMs: patienceMs })
    try {
      const { scopes } = await core.tokens.current.query()
      believed = { of, scopes, until: Date.now() + believedMs }
      return scopes
    } catch (error) {
      log.debug({ err: error }, 'the scopes of the token are not known')
      return undefined
    }
  }
}
