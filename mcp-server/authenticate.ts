import { createHash, randomUUID } from 'node:crypto'
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from '@modelcontextprotocol/server'
import { coreFailure, createCoreClient } from '../client/core-client.ts'

/** How long a good token is believed without asking core again; every tool call asks core anyway. */
const believedMs = 5_000
const mostBelieved = 10_000
/** Longer than core takes when it is well; a request does not wait for more before its tool is asked. */
const verdictTimeoutMs = 5_000

/** Names the owner of a token, in keys and sessions, without holding the token. */
export const callerOf = (token: string) => createHash('sha256').update(token).digest('hex')

export interface Authenticator {
  /** The caller behind an `Authorization` header, or the answer that refuses it. */
  authenticate: (header: string | undefined, signal: AbortSignal) => Promise<AuthInfo | Response>
}

/**
 * Checks bearers by asking core who they are. Where core gives no verdict, because it is down or busy, the request
 * goes on: nothing can be had without core, and the tools say better than an HTTP status what to do about it.
 */
export function createAuthenticator(baseUrl: string, now: () => number = Date.now): Authenticator {
  const believed = new Map<string, { auth: Omit<AuthInfo, 'token'>; until: number }>()

  const verify = async (token: string, signal: AbortSignal): Promise<AuthInfo> => {
    const caller = callerOf(token)
    const known = believed.get(caller)
    if (known && known.until > now()) return { ...known.auth, token }
    believed.delete(caller)

    const unverified = {
      token,
      clientId: caller,
      scopes: [],
      expiresAt: now() / 1_000 + 60,
      extra: { verified: false },
    }
    const core = createCoreClient({ baseUrl, token, requestId: randomUUID(), signal, timeoutMs: verdictTimeoutMs })
    const current = await core.tokens.current.query().catch((error: unknown) => {
      const failure = coreFailure(error)
      if (!failure) throw error
      if (failure.kind === 'refused' && failure.status === 401) {
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'Core does not accept this token. Create a new one.')
      }
      return undefined
    })
    if (!current) return unverified
    const auth = {
      clientId: caller,
      scopes: current.scopes,
      expiresAt: Date.parse(current.expiresAt) / 1_000,
      extra: { verified: true },
    }
    believed.set(caller, { auth, until: now() + believedMs })
    const [oldest] = believed.keys()
    if (believed.size > mostBelieved && oldest !== undefined) believed.delete(oldest)
    return { ...auth, token }
  }

  return {
    authenticate: async (header, signal) => {
      try {
        return await verifyBearerToken(header, { verifier: { verifyAccessToken: (token) => verify(token, signal) } })
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error
        return bearerAuthChallengeResponse(error)
      }
    },
  }
}
