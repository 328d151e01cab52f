import type { EntityManager } from 'typeorm'
import { queryByKeys } from '../../base/prepared.ts'
import type { Scope } from '../../base/schema.ts'

/** A token row and its user. */
export interface FoundToken {
  id: string
  token_hash: string
  user_id: string
  scopes: Scope[]
  organization_id: string | null
  project_id: string | null
  expires_at: Date
  revoked_at: Date | null
  last_used_at: Date | null
  refused_at: Date | null
  email: string
  name: string
}

export const selectTokens = {
  name: 'find-tokens',
  text: `
    SELECT t.id, t.token_hash, t.user_id, t.scopes, t.organization_id, t.project_id, t.expires_at, t.revoked_at,
           t.last_used_at, t.refused_at, u.email, u.name
      FROM api_tokens t JOIN users u ON u.id = t.user_id
     WHERE t.token_hash = ANY ($1::text[])`,
}

/** Finds tokens by their SHA-256, valid or not, in the order of the hashes. */
export const findTokens = (db: EntityManager, hashes: readonly string[]) =>
  queryByKeys<FoundToken>(db, selectTokens, hashes, (token) => token.token_hash)
