import { createHash } from 'node:crypto'
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from '@modelcontextprotocol/server'
import { coreFailure, createCoreClient } from '../client/core-client.ts'
import { newRequestId } from '../client/request-id.ts'

/** Cache time of a valid token. Every tool call asks core anyway. */
const cacheMs = 5_000
const maxCached = 10_000
/** Longer than a healthy core needs. After that the request proceeds unverified. */
const verifyTimeoutMs = 5_000

/** Identifies the caller in keys and sessions without the token. */
export const callerOf = (token: string) => createHash('sha256').update(token).digest('hex')

export interface Authenticator {
  /** Returns the caller of an `Authorization` header, or the response that refuses it. */
  authenticate: (header: string | undefined, signal: AbortSignal) => Promise<AuthInfo | Response>
}

/**
 * Verifies bearer tokens with core. If core is down or busy, the request proceeds: without core it gets no data, and the
 * tools explain better than an HTTP status what to do.
 */
export function createAuthenticator(baseUrl: string, now: () => number = Date.now): Authenticator {
  const cached = new Map<string, { auth: Omit<AuthInfo, 'token'>; until: number }>()

  const verify = async (token: string, signal: AbortSignal): Promise<AuthInfo> => {
    const caller = callerOf(token)
    const known = cached.get(caller)
    if (known && known.until > now()) return { ...known.auth, token }
    cached.delete(caller)

    const unverified = {
      token,
      clientId: caller,
      scopes: [],
      expiresAt: now() / 1_000 + 60,
      extra: { verified: false },
    }
    const core = createCoreClient({ baseUrl, token, requestId: newRequestId(), signal, timeoutMs: verifyTimeoutMs })
    const current = await core.tokens.current.query().catch((error: unknown) => {
      const failure = coreFailure(error)
      if (!failure) throw error
      if (failure.kind === 'refused' && failure.status === 401) {
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'The server does not accept this token. Create a new one.')
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
    cached.set(caller, { auth, until: now() + cacheMs })
    const [oldest] = cached.keys()
    if (cached.size > maxCached && oldest !== undefined) cached.delete(oldest)
    return { ...auth, token }
  }

  return {
    authenticate: async (header, signal) => {
      try {
        if (!header)
          throw new OAuthError(OAuthErrorCode.InvalidToken, 'Send an API token: Authorization: Bearer svc_...')
        return await verifyBearerToken(header, { verifier: { verifyAccessToken: (token) => verify(token, signal) } })
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error
        return bearerAuthChallengeResponse(error)
      }
    },
  }
}
