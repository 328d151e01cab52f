import type { EntityManager } from 'typeorm'
import { queryByKeys } from '../../base/prepared.ts'

/** A session row and its user. */
export interface FoundSession {
  id: string
  user_id: string
  email: string
  name: string
  avatar: string | null
  email_verified: boolean
  user_created_at: Date
  user_updated_at: Date
  generation: number
  token_hash: string
  previous_hash: string | null
  presented_at: Date | null
  issued_at: Date
  active_at: Date
  expires_at: Date
  absolute_expires_at: Date
  revoked_at: Date | null
  created_at: Date
}

const selectSessions = {
  name: 'find-sessions',
  text: `
    SELECT s.id, s.user_id, s.generation, s.token_hash, s.previous_hash, s.presented_at, s.issued_at, s.active_at,
           s.expires_at, s.absolute_expires_at, s.revoked_at, s.created_at, u.email, u.name, u.avatar,
           u.email_verified, u.created_at AS user_created_at, u.updated_at AS user_updated_at
      FROM sessions s JOIN users u ON u.id = s.user_id
     WHERE s.id = ANY ($1::text[])`,
}

/** Finds sessions by their ids, valid or not, in the order of the ids. */
export const findSessions = (db: EntityManager, ids: readonly string[]) =>
  queryByKeys<FoundSession>(db, selectSessions, ids, (session) => session.id)
