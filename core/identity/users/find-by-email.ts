import { type EntityManager, Raw } from 'typeorm'
import { UserEntity, type UserRow } from './entity.ts'

/** The user with this address, which is in canonical form. Asks as the unique index does, case and all. */
export function findUserByEmail(db: EntityManager, email: string): Promise<UserRow | null> {
  const sameAddress = Raw((column) => `lower(${column}) = lower(:email)`, { email })
  return db.getRepository(UserEntity).findOneBy({ email: sameAddress })
}
