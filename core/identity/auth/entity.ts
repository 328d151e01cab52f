import { EntitySchema } from 'typeorm'
import { type Columns, id, text, time } from '../../base/columns.ts'

export interface PasswordRow {
  userId: string
  /** An argon2id hash as a PHC string. */
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
