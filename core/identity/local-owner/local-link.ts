import type { EntityManager } from 'typeorm'
import { recordAudit } from '../audit/record.ts'
import { type Context, inTransaction } from '../../base/context.ts'
import { type StartedSession, startSession } from '../sessions/start.ts'
import { ensureOwner } from './local-owner.ts'
import { issueOneTimeToken, redeemOneTimeToken } from '../users/one-time-token.ts'

/** Creates a link that signs in the owner of local mode once, within ten minutes. Print it, but never log it. */
export async function makeSignInLink(db: EntityManager, baseUrl: string, now: Date): Promise<string> {
  const owner = await ensureOwner(db, now)
  const { token } = await issueOneTimeToken(db, 'local_sign_in', owner.id, now)
  return `${baseUrl}/sign-in/local?token=${token}`
}

/** Signs in with a link's token. Returns undefined if the token is unknown, expired or used. */
export async function signInWithLink(ctx: Context, token: string): Promise<StartedSession | undefined> {
  return inTransaction(ctx, async (ctx) => {
    const userId = await redeemOneTimeToken(ctx.db, 'local_sign_in', token, ctx.now())
    if (userId !== undefined) return startSession(ctx, userId, 'local_link')
    await recordAudit(ctx, 'failed_auth', null, { method: 'local_link' })
    return undefined
  })
}
