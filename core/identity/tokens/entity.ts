import { EntitySchema } from 'typeorm'
import { type Columns, id, optionalText, optionalTime, text, time } from '../../base/columns.ts'
import type { Scope } from '../../base/schema.ts'

export interface TokenRow {
  id: string
  userId: string
  name: string
  tokenHash: string
  lastFour: string
  scopes: Scope[]
  organizationId: string | null
  projectId: string | null
  expiresAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
  createdAt: Date
}

export const TokenEntity = new EntitySchema<TokenRow>({
  name: 'Token',
  tableName: 'api_tokens',
  columns: {
    id,
    userId: { ...text, name: 'user_id' },
    name: text,
    tokenHash: { ...text, name: 'token_hash' },
    lastFour: { ...text, name: 'last_four' },
    scopes: { ...text, array: true },
    organizationId: { ...optionalText, name: 'organization_id' },
    projectId: { ...optionalText, name: 'project_id' },
    expiresAt: { ...time, name: 'expires_at' },
    lastUsedAt: { ...optionalTime, name: 'last_used_at' },
    revokedAt: { ...optionalTime, name: 'revoked_at' },
    createdAt: { ...time, name: 'created_at' },
  } satisfies Columns<TokenRow>,
})
