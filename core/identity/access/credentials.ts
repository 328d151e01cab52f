import type { EntityManager } from 'typeorm'
import { inBatches } from '../../base/in-batches.ts'
import { findSessions, type FoundSession } from '../sessions/find.ts'
import { findTokens, type FoundToken } from '../tokens/find.ts'

declare module '../../base/context.ts' {
  interface Services {
    credentials: Credentials
  }
}

/**
 * Looks up the credentials of requests. Requests that arrive while a lookup runs share the next one, so that a busy
 * server needs few statements for them. Every lookup begins after its request has arrived: nothing is remembered, and a
 * revoked credential is refused at once.
 */
export interface Credentials {
  /** @param hash - the SHA-256 of the token */
  token(hash: string): Promise<FoundToken | undefined>
  session(id: string): Promise<FoundSession | undefined>
}

/** @param db - the pool `access` */
export function createCredentials(db: EntityManager): Credentials {
  const limits = { size: 100, parallel: 1, retriesAlone: false }
  return {
    token: inBatches((hashes) => findTokens(db, hashes), limits),
    session: inBatches((ids) => findSessions(db, ids), limits),
  }
}
