import { setTimeout as pause } from 'node:timers/promises'
import type { EntityManager } from 'typeorm'
import { recordAudit } from '../../audit/record.ts'
import { type Context, inTransaction } from '../../../base/context.ts'
import { forbidden } from '../../../base/errors.ts'
import { newId } from '../../../base/ids.ts'
import { addressKey } from '../../limits/limits.ts'
import { enqueueMail } from '../../mail/job.ts'
import { safeCallbackUrl } from '../callback-url.ts'
import { canonicalEmail } from '../../users/email-address.ts'
import { PasswordEntity } from '../entity.ts'
import { signUpAllowed } from '../sign-up-policy.ts'
import { hashPassword } from './hash.ts'
import { attemptMail } from './mail-limits.ts'
import type { Accepted, SignUp } from './schema.ts'

/**
 * No answer comes sooner. A new account takes some milliseconds more than a mail to the owner of an old one; both are
 * done well before, so that the time does not tell them apart. Hashing, the one thing that takes long, happens for both.
 */
const shortestMs = 250

/**
 * Makes an account, or tells the owner of an existing one that somebody tried; the caller does not learn which. Nobody
 * is signed in: the mail says how to go on.
 */
export async function signUp(ctx: Context, input: SignUp): Promise<Accepted> {
  const email = canonicalEmail(input.email)
  const callbackUrl = input.callbackURL === undefined ? undefined : safeCallbackUrl(ctx.config, input.callbackURL)
  // Here so that nobody has us hash, or uses up tries, for nothing; below, where an account is made, is where it counts.
  await requireSignUpAllowed(ctx, email)
  await ctx.limits.attempt('signUpByAddress', addressKey(ctx))
  await attemptMail(ctx, 'sign_up_attempt', email)

  const longEnough = pause(shortestMs)
  const passwordHash = await hashPassword(input.password)
  await inTransaction(ctx, async (ctx) => {
    await requireSignUpAllowed(ctx, email)
    const userId = await insertUser(ctx.db, email, input.name || nameFrom(email), ctx.now())
    await enqueueMail(ctx, { kind: userId === undefined ? 'sign_up_attempt' : 'verify_email', email, callbackUrl })
    if (userId === undefined) return
    await ctx.db.getRepository(PasswordEntity).insert({ userId, passwordHash, updatedAt: ctx.now() })
    await recordAudit(ctx, 'account_created', userId, { method: 'password' })
  })
  await longEnough
  return { status: true, message: 'Look into your mail: it says how to go on.' }
}

/** In the same words whether the address has an account or not, hence before anybody looks. */
async function requireSignUpAllowed(ctx: Context, email: string): Promise<void> {
  if (await signUpAllowed(ctx, email)) return
  throw forbidden(
    'This server does not allow everyone to sign up. Ask its administrator to invite you or to set SIGN_UP=open.',
  )
}

/** The new user's id; undefined if the address is taken, also by somebody who is just as fast. */
async function insertUser(db: EntityManager, email: string, name: string, now: Date): Promise<string | undefined> {
  const rows = await db.query<{ id: string }[]>(
    `INSERT INTO users (id, email, name, email_verified, created_at, updated_at) VALUES ($1, $2, $3, false, $4, $4)
     ON CONFLICT (lower(email)) DO NOTHING RETURNING id`,
    [newId(now), email, name, now],
  )
  return rows[0]?.id
}

const nameFrom = (email: string) => email.slice(0, email.indexOf('@'))
