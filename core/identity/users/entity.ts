import { EntitySchema } from 'typeorm'
import { boolean, type Columns, id, optionalText, text, time } from '../../base/columns.ts'
import type { SignedInUser } from '../../base/context.ts'

export type UserRow = SignedInUser

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
