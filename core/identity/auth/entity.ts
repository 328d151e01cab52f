import { EntitySchema } from 'typeorm'
import { boolean, type Columns, id, optionalText, optionalTime, text, time } from '../../base/columns.ts'

export interface UserRow {
  id: string
  email: string
  name: string
  avatar: string | null
  emailVerified: boolean
  createdAt: Date
  updatedAt: Date
}

export const UserEntity = new EntitySchema<UserRow>({
  name: 'User',
  tableName: 'users',
  columns: {
    id,
    email: text,
    name: text,
    avatar: optionalText,
    emailVerified: { ...boolean, name: 'email_verified' },
    createdAt: { ...time, name: 'created_at' },
    updatedAt: { ...time, name: 'updated_at' },
  } satisfies Columns<UserRow>,
})

export interface PasswordRow {
  userId: string
  /** PHC string of argon2id. */
  passwordHash: string
  updatedAt: Date
}

export const PasswordEntity = new EntitySchema<PasswordRow>({
  name: 'Password',
  tableName: 'passwords',
  columns: {
    userId: { ...id, name: 'user_id' },
    passwordHash: { ...text, name: 'password_hash' },
    updatedAt: { ...time, name: 'updated_at' },
  } satisfies Columns<PasswordRow>,
})

/** One for each identity at a provider. Tokens are encrypted, bound to this table, row and field. */
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
