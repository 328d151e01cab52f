import type { IncomingMessage } from 'node:http'
import type { EntityManager } from 'typeorm'
import type { Actor } from '../context.ts'
import { authenticateToken } from '../tokens/authenticate.ts'
import { tokenPrefix } from '../tokens/token-format.ts'

/**
 * Who is calling; null when no credential of ours came along.
 *
 * @throws AppError 401 for a bearer token of ours that is not good
 */
export async function authenticate(req: IncomingMessage, db: EntityManager, now: Date): Promise<Actor | null> {
  const bearer = /^Bearer +(.*)$/i.exec(req.headers.authorization ?? '')?.[1]?.trim()
  if (!bearer?.startsWith(tokenPrefix)) return null
  return authenticateToken(db, bearer, now)
}
