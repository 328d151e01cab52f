import type { Context } from '../../base/context.ts'
import { isLocalAddress } from '../users/email-address.ts'

/** Held while an account is made by invitation, so that of two first ones only one is; the number says "sign". */
const signUpLock = 0x7369676e

/**
 * Whether an account with this address may be made, by `SIGN_UP`. Call it in the transaction that makes the account,
 * after looking for an existing one: whoever comes second waits, and then is not the first.
 */
export async function signUpAllowed({ db, config }: Pick<Context, 'db' | 'config'>, email: string): Promise<boolean> {
  if (isLocalAddress(email)) return false
  if (config.signUp !== 'invite') return config.signUp === 'open'
  await db.query('SELECT pg_advisory_xact_lock($1)', [signUpLock])
  // In production the owner that `npm run owner` makes is for programs, and somebody has still to come in by the door.
  // In local mode the machine is the owner's, and others on it must not get in.
  const [found] = await db.query<{ taken: boolean; invited: boolean }[]>(
    `SELECT EXISTS (SELECT FROM users WHERE $1 OR email NOT LIKE '%@localhost') AS taken,
            EXISTS (SELECT FROM invitations WHERE email = $2) AS invited`,
    [config.local, email],
  )
  return found !== undefined && (found.invited || !found.taken)
}
