import type { EntityManager } from 'typeorm'
import { UserEntity } from './entity.ts'

/** Identifies the owner of local mode. */
export const localOwnerEmail = 'owner@localhost'

export function isLocalOwner(db: EntityManager, userId: string): Promise<boolean> {
  return db.getRepository(UserEntity).existsBy({ id: userId, email: localOwnerEmail })
}
