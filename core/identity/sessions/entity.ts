import { EntitySchema } from 'typeorm'
import { type Columns, id, integer, optionalText, optionalTime, text, time } from '../../base/columns.ts'

export interface SessionRow {
  id: string
  userId: string
  /** Counts rotations. The token of a generation is derived from the session's id and this number. */
  generation: number
  tokenHash: string
  previousHash: string | null
  presentedAt: Date | null
  /** When the current token was created, or last sent again to a client that did not receive it. */
  issuedAt: Date
  /** As precise as the rotation interval. */
  activeAt: Date
  expiresAt: Date
  absoluteExpiresAt: Date
  revokedAt: Date | null
  ipAddress: string | null
  userAgent: string | null
  createdAt: Date
}

export const SessionEntity = new EntitySchema<SessionRow>({
  name: 'Session',
  tableName: 'sessions',
  columns: {
    id,
    userId: { ...text, name: 'user_id' },
    generation: integer,
    tokenHash: { ...text, name: 'token_hash' },
    previousHash: { ...optionalText, name: 'previous_hash' },
    presentedAt: { ...optionalTime, name: 'presented_at' },
    issuedAt: { ...time, name: 'issued_at' },
    activeAt: { ...time, name: 'active_at' },
    expiresAt: { ...time, name: 'expires_at' },
    absoluteExpiresAt: { ...time, name: 'absolute_expires_at' },
    revokedAt: { ...optionalTime, name: 'revoked_at' },
    ipAddress: { ...optionalText, name: 'ip_address' },
    userAgent: { ...optionalText, name: 'user_agent' },
    createdAt: { ...time, name: 'created_at' },
  } satisfies Columns<SessionRow>,
})
