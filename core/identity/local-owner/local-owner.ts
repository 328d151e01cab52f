import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EntityManager } from 'typeorm'
import { recordAudit } from '../audit/record.ts'
import { sha256 } from '../../base/crypto.ts'
import { newId } from '../../base/ids.ts'
import type { Services } from '../../base/context.ts'
import { whyRefused } from '../tokens/authenticate.ts'
import { findTokens } from '../tokens/find.ts'
import { insertToken } from '../tokens/insert.ts'
import { Scope } from '../../base/schema.ts'
import { UserEntity, type UserRow } from '../users/entity.ts'
import { localOwnerEmail } from '../users/local-owner.ts'

const day = 86_400_000

/**
 * Creates the owner of local mode and the token file that the MCP server and the CLI read. Replaces a token that is
 * missing, invalid or expires within a month; copies of the old token stay valid until they expire.
 */
export async function ensureLocalOwner(services: Services, db: EntityManager): Promise<{ tokenFile: string }> {
  const tokenFile = join(services.config.dataDir, 'token')
  const now = services.now()
  if (await isGoodForAMonth(db, tokenFile, now)) return { tokenFile }

  const plainToken = await db.transaction(async (tx) => {
    const owner = await ensureOwner(tx, now)
    const made = await insertToken(tx, {
      userId: owner.id,
      name: 'Local owner',
      scopes: [...Scope.options],
      projectId: null,
      expiresAt: new Date(now.getTime() + 365 * day),
      createdAt: now,
    })
    const { id: tokenId, name, scopes, projectId } = made.row
    const ctx = { ...services, db: tx, client: { ipAddress: null, userAgent: null } }
    if (owner.createdAt.getTime() === now.getTime())
      await recordAudit(ctx, 'account_created', owner.id, { method: 'local' })
    await recordAudit(ctx, 'token_created', owner.id, { tokenId, name, scopes, projectId })
    return made.plainToken
  })
  await mkdir(services.config.dataDir, { recursive: true })
  await writeFile(`${tokenFile}.new`, `${plainToken}\n`, { mode: 0o600 })
  await chmod(`${tokenFile}.new`, 0o600)
  await rename(`${tokenFile}.new`, tokenFile)
  return { tokenFile }
}

async function isGoodForAMonth(db: EntityManager, tokenFile: string, now: Date): Promise<boolean> {
  try {
    const [token] = await findTokens(db, [sha256((await readFile(tokenFile, 'utf8')).trim())])
    return token !== undefined && !whyRefused(token, now) && token.expires_at.getTime() - now.getTime() > 30 * day
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/** Returns the owner of local mode, and creates it if it does not exist. */
export async function ensureOwner(tx: EntityManager, now: Date): Promise<UserRow> {
  const users = tx.getRepository(UserEntity)
  const found = await users.findOneBy({ email: localOwnerEmail })
  if (found) return found
  const owner = {
    id: newId(now),
    email: localOwnerEmail,
    name: 'Local owner',
    avatar: null,
    emailVerified: true,
    createdAt: now,
    updatedAt: now,
  }
  await users.insert(owner)
  return owner
}
