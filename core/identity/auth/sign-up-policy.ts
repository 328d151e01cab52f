import type { Context } from '../../base/context.ts'
import { isLocalAddress } from '../users/email-address.ts'

/** Held while an account is created in `invite` mode, so that only one account is the first. "sign" in ASCII. */
const signUpLock = 0x7369676e

/**
 * Returns whether `SIGN_UP` allows an account with this address. Call it in the transaction that creates the account,
 * after looking for an existing one. Parallel calls wait for each other.
 */
export async function signUpAllowed({ db, config }: Pick<Context, 'db' | 'config'>, email: string): Promise<boolean> {
  if (isLocalAddress(email)) return false
  if (config.signUp !== 'invite') return config.signUp === 'open'
  await db.query('SELECT pg_advisory_xact_lock($1)', [signUpLock])
  // In production, the owner that `npm run owner` creates is for programs, so the first person may still sign up. In
  // local mode, the owner is the only user, and other users of the machine must not sign up.
  const [found] = await db.query<{ taken: boolean; invited: boolean }[]>(
    `SELECT EXISTS (SELECT FROM users WHERE $1 OR email NOT LIKE '%@localhost') AS taken,
            EXISTS (SELECT FROM invitations WHERE email = $2) AS invited`,
    [config.local, email],
  )
  return found !== undefined && (found.invited || !found.taken)
}
