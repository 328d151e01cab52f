import { type EntityManager, Raw } from 'typeorm'
import { UserEntity, type UserRow } from './entity.ts'

/** Finds the user with this canonical address, with the expression of the unique index. */
export function findUserByEmail(db: EntityManager, email: string): Promise<UserRow | null> {
  const sameAddress = Raw((column) => `lower(${column}) = lower(:email)`, { email })
  return db.getRepository(UserEntity).findOneBy({ email: sameAddress })
}
