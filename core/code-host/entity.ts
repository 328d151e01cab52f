import { EntitySchema } from 'typeorm'
import { type Columns, id, optionalText, optionalTime, text, time } from '../base/columns.ts'

/** An identity at a provider. Tokens are encrypted, and the ciphertext is bound to the table, row and field. */
export interface AccountLinkRow {
  id: string
  userId: string
  provider: 'code_host'
  providerAccountId: string
  login: string | null
  accessToken: string
  refreshToken: string | null
  scope: string | null
  accessTokenExpiresAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export const AccountLinkEntity = new EntitySchema<AccountLinkRow>({
  name: 'AccountLink',
  tableName: 'account_links',
  columns: {
    id,
    userId: { ...text, name: 'user_id' },
    provider: text,
    providerAccountId: { ...text, name: 'provider_account_id' },
    login: optionalText,
    accessToken: { ...text, name: 'access_token' },
    refreshToken: { ...optionalText, name: 'refresh_token' },
    scope: optionalText,
    accessTokenExpiresAt: { ...optionalTime, name: 'access_token_expires_at' },
    createdAt: { ...time, name: 'created_at' },
    updatedAt: { ...time, name: 'updated_at' },
  } satisfies Columns<AccountLinkRow>,
})
