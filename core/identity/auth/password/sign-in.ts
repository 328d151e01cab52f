import { recordAudit } from '../../audit/record.ts'
import { type Context, inTransaction } from '../../../base/context.ts'
import { unauthorized } from '../../../base/errors.ts'
import { addressKey } from '../../limits/limits.ts'
import type { RuleName } from '../../limits/rules.ts'
import { startSession } from '../../sessions/start.ts'
import { safeCallbackUrl } from '../callback-url.ts'
import { canonicalEmail } from '../../users/email-address.ts'
import { PasswordEntity } from '../entity.ts'
import { findUserByEmail } from '../../users/find-by-email.ts'
import { presentUser } from '../../users/present.ts'
import type { User } from '../../users/schema.ts'
import { hashPassword, verifyAgainstNothing, verifyPassword } from './hash.ts'
import type { SignIn } from './schema.ts'

export interface PasswordSignIn {
  user: User
  /** Only for the cookie. */
  token: string
}

/**
 * Starts a session. A wrong password, an account without a password and a missing account give the same answer after the
 * same amount of work.
 *
 * @throws AppError 401; 429 before the password is checked
 */
export async function signInWithPassword(ctx: Context, input: SignIn): Promise<PasswordSignIn> {
  const email = canonicalEmail(input.email)
  if (input.callbackURL !== undefined) safeCallbackUrl(ctx.config, input.callbackURL)
  const address = addressKey(ctx)
  // The narrowest limit comes first, so that a refusal does not count against other users of this address.
  const limits: [RuleName, string][] = [
    ['signInByAccountAndAddress', `${email}/${address}`],
    ['signInByAddress', address],
    ['signInByAccount', email],
  ]
  await attemptAll(ctx, limits)

  const user = await findUserByEmail(ctx.db, email)
  const stored = await ctx.db.getRepository(PasswordEntity).findOneBy({ userId: user?.id ?? '' })
  const { matches, outdated } = await (stored
    ? verifyPassword(input.password, stored.passwordHash)
    : verifyAgainstNothing(input.password))
  const rehashed = matches && outdated ? await hashPassword(input.password) : undefined

  const started = await inTransaction(ctx, async (ctx) => {
    const current =
      user && stored && matches && (await isStillCurrent(ctx, user.id, stored.passwordHash, rehashed))
        ? user
        : undefined
    if (current) return { user: presentUser(current), token: (await startSession(ctx, current.id, 'password')).token }
    await recordAudit(ctx, 'failed_auth', user?.id ?? null, { method: 'password' })
    return undefined
  })
  if (!started) throw unauthorized('The e-mail address or the password is wrong.')
  for (const [rule, key] of limits) await ctx.limits.refund(rule, key)
  return started
}

/** Takes a point from each limit, or from none. */
async function attemptAll({ limits }: Context, attempts: [RuleName, string][]): Promise<void> {
  const taken: [RuleName, string][] = []
  try {
    for (const [rule, key] of attempts) {
      await limits.attempt(rule, key)
      taken.push([rule, key])
    }
  } catch (error) {
    for (const [rule, key] of taken) await limits.refund(rule, key)
    throw error
  }
}

/**
 * Locks the password until the session exists. After an earlier change or reset, the hash no longer matches; a later one
 * finds the session and ends it.
 */
async function isStillCurrent(
  { db, now }: Context,
  userId: string,
  passwordHash: string,
  rehashed: string | undefined,
): Promise<boolean> {
  const passwords = db.getRepository(PasswordEntity)
  const { affected } = await passwords.update(
    { userId, passwordHash },
    rehashed === undefined ? { passwordHash } : { passwordHash: rehashed, updatedAt: now() },
  )
  return affected === 1
}
