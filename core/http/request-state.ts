import type { Logger } from '../base/log.ts'

/** The next session token, which replaces the one of the request. */
export interface Successor {
  token: string
  /**
   * Milliseconds since 1970. A response sent later must not contain the token, because it could replace a newer one in
   * the browser.
   */
  goodUntil: number
}

export interface RequestState {
  requestId: string
  log: Logger
  /** Aborts when the client disconnects before the response is complete. */
  signal: AbortSignal
  /** The caller's credential, once it is authenticated. */
  tokenId?: string
  sessionId?: string
  /** Whether the request has been counted against the limits, or is exempt from them. */
  isCounted?: boolean
  /** The session token that this response sets. */
  successor?: Successor
}
