import { timingSafeEqual } from 'node:crypto'
import { sign } from '../../base/crypto.ts'

/** Matches a session id, its generation in base 36, and an HMAC over both. */
const pattern = /^([0-9A-HJKMNP-TV-Z]{26})\.(0|[1-9a-z][0-9a-z]{0,5})\.([A-Za-z0-9_-]{43})$/

export interface SessionReference {
  sessionId: string
  generation: number
}

/**
 * Returns the token of one generation of a session. It is derived, not random, so that parallel requests receive the
 * same next token, and a client whose response was lost receives it again.
 */
export function sessionToken(secretKey: string, { sessionId, generation }: SessionReference): string {
  const reference = `${sessionId}.${generation.toString(36)}`
  return `${reference}.${sign(secretKey, 'session', reference)}`
}

/** Parses and verifies a session token without a database call. Returns undefined for a token that Assay did not sign. */
export function parseSessionToken(secretKey: string, token: string): SessionReference | undefined {
  const [, sessionId, counter, mac] = pattern.exec(token) ?? []
  if (sessionId === undefined || counter === undefined || mac === undefined) return undefined
  const expected = sign(secretKey, 'session', `${sessionId}.${counter}`)
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected))) return undefined
  return { sessionId, generation: Number.parseInt(counter, 36) }
}
