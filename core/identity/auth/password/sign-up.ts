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
 * The minimum duration of a call, so that the time does not reveal whether the account exists. Creating an account takes
 * some milliseconds more than queueing a mail, and both take far less than this. Hashing, the slow part, runs for both.
 */
const minDurationMs = 250

/**
 * Creates an account, or notifies the owner of an existing one of the attempt. The answer does not reveal which. The
 * caller is not signed in: the mail explains the next step.
 */
export async function signUp(ctx: Context, input: SignUp): Promise<Accepted> {
  const email = canonicalEmail(input.email)
  const callbackUrl = input.callbackURL === undefined ? undefined : safeCallbackUrl(ctx.config, input.callbackURL)
  // Refuses early, before hashing and counting. The check in the transaction below decides.
  await requireSignUpAllowed(ctx, email)
  await ctx.limits.attempt('signUpByAddress', addressKey(ctx))
  await attemptMail(ctx, 'sign_up_attempt', email)

  const minDuration = pause(minDurationMs)
  const passwordHash = await hashPassword(input.password)
  await inTransaction(ctx, async (ctx) => {
    await requireSignUpAllowed(ctx, email)
    const userId = await insertUser(ctx.db, email, input.name || nameFrom(email), ctx.now())
    await enqueueMail(ctx, { kind: userId === undefined ? 'sign_up_attempt' : 'verify_email', email, callbackUrl })
    if (userId === undefined) return
    await ctx.db.getRepository(PasswordEntity).insert({ userId, passwordHash, updatedAt: ctx.now() })
    await recordAudit(ctx, 'account_created', userId, { method: 'password' })
  })
  await minDuration
  return { status: true, message: 'Check your mail for the next step.' }
}

/** Runs before the account is looked up, so that the answer does not reveal whether it exists. */
async function requireSignUpAllowed(ctx: Context, email: string): Promise<void> {
  if (await signUpAllowed(ctx, email)) return
  throw forbidden(
    'This server does not allow everyone to sign up. Ask its administrator to invite you or to set SIGN_UP=open.',
  )
}

/** Inserts the user and returns the id; undefined if the address is taken, also by a parallel call. */
async function insertUser(db: EntityManager, email: string, name: string, now: Date): Promise<string | undefined> {
  const rows = await db.query<{ id: string }[]>(
    `INSERT INTO users (id, email, name, email_verified, created_at, updated_at) VALUES ($1, $2, $3, false, $4, $4)
     ON CONFLICT (lower(email)) DO NOTHING RETURNING id`,
    [newId(now), email, name, now],
  )
  return rows[0]?.id
}

const nameFrom = (email: string) => email.slice(0, email.indexOf('@'))
