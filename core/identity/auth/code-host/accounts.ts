import { type EntityManager, IsNull, MoreThan } from 'typeorm'
import { type AuditContext, recordAudit } from '../../audit/record.ts'
import type { UserActor } from '../../../base/context.ts'
import { newId } from '../../../base/ids.ts'
import { acceptInvitations } from '../../organizations/accept-invitations.ts'
import { SessionEntity } from '../../sessions/entity.ts'
import { AccountLinkEntity, type AccountLinkRow } from '../../../code-host/entity.ts'
import { signUpAllowed } from '../sign-up-policy.ts'
import { type CodeHostTokens, encryptTokens } from '../../../code-host/link-tokens.ts'
import { CodeHostFailure } from './problems.ts'
import { type CodeHostProfile, noReplyDomain } from './profile.ts'

/** A user of the code host, with the tokens that the code host issued. */
export interface Identity {
  profile: CodeHostProfile
  tokens: CodeHostTokens
}

/**
 * Returns the user of a code host account, and creates the user if none exists. Matches e-mail addresses only if both
 * sides have verified them. Call it in a transaction.
 *
 * @throws CodeHostFailure
 */
export async function findOrCreateUser(ctx: AuditContext, identity: Identity): Promise<string> {
  const { profile } = identity
  const link = await lockLink(ctx, profile)
  if (link) {
    await renewLink(ctx, link, identity)
    return link.userId
  }
  const existing = await findByEmail(ctx, profile.verifiedEmail)
  if (existing) return linkExisting(ctx, existing, identity)
  if (!(await signUpAllowed(ctx, profile.verifiedEmail ?? placeholderAddress(ctx, profile)))) {
    throw new CodeHostFailure('sign_up_closed', 'SIGN_UP does not allow this account')
  }
  const userId = await insertUser(ctx, profile)
  if (userId === undefined) {
    // Another request created an account with the address in the meantime.
    const taken = await findByEmail(ctx, profile.verifiedEmail)
    if (!taken) throw new Error('The address is taken, but no user has it.')
    return linkExisting(ctx, taken, identity)
  }
  const id = await insertLink(ctx, userId, identity)
  await acceptInvitations(ctx, userId)
  await recordAudit(ctx, 'account_created', userId, { method: 'code_host', login: profile.login })
  await recordAudit(ctx, 'account_linked', userId, { provider: 'code_host', linkId: id, login: profile.login })
  return userId
}

type Linker = Pick<UserActor, 'userId' | 'sessionId'>

/**
 * Links a code host account to the signed-in user. Call it in a transaction.
 *
 * @throws CodeHostFailure if the account belongs to another user, or the session has ended
 */
export async function linkToUser(ctx: AuditContext, linker: Linker, identity: Identity): Promise<void> {
  const { userId } = linker
  const { profile } = identity
  const link = await lockLink(ctx, profile)
  if (link && link.userId !== userId) {
    throw new CodeHostFailure('account_already_linked', `account ${profile.accountId} belongs to another user`, userId)
  }
  await lockLiveSession(ctx, linker)
  if (link) {
    await renewLink(ctx, link, identity)
    return
  }
  const id = await insertLink(ctx, userId, identity)
  await fillProfile(ctx, userId, profile)
  await recordAudit(ctx, 'account_linked', userId, { provider: 'code_host', linkId: id, login: profile.login })
}

/**
 * Parallel sign-ins of one account wait here for each other, so that the second one finds the user that the first one
 * created. The user is locked too, so that a password reset, which removes links and ends sessions, cannot interleave.
 */
async function lockLink({ db }: AuditContext, { accountId }: CodeHostProfile): Promise<AccountLinkRow | null> {
  await db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`account_links/code_host/${accountId}`])
  const links = db.getRepository(AccountLinkEntity)
  const link = await links.findOneBy({ provider: 'code_host', providerAccountId: accountId })
  if (!link) return null
  await lockUser(db, link.userId)
  return links.findOneBy({ id: link.id })
}

async function lockUser(db: EntityManager, userId: string): Promise<void> {
  await db.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId])
}

/** The session may have ended during the calls to the code host. */
async function lockLiveSession({ db, now }: AuditContext, { userId, sessionId }: Linker): Promise<void> {
  await lockUser(db, userId)
  const live = await db
    .getRepository(SessionEntity)
    .existsBy({ id: sessionId, userId, revokedAt: IsNull(), expiresAt: MoreThan(now()) })
  if (!live) throw new CodeHostFailure('session_changed', 'the session that began the link has ended', userId)
}

interface FoundUser {
  id: string
  email_verified: boolean
}

async function findByEmail({ db }: AuditContext, email: string | null): Promise<FoundUser | undefined> {
  if (email === null) return undefined
  const [found] = await db.query<FoundUser[]>('SELECT id, email_verified FROM users WHERE lower(email) = lower($1)', [
    email,
  ])
  return found
}

/** Links only verified addresses: an attacker who signed up with a victim's address must not get the victim's link. */
async function linkExisting(ctx: AuditContext, user: FoundUser, identity: Identity): Promise<string> {
  if (!user.email_verified) {
    throw new CodeHostFailure('account_not_linked', 'the user with this address has not verified it', user.id)
  }
  const id = await insertLink(ctx, user.id, identity)
  await fillProfile(ctx, user.id, identity.profile)
  const { login } = identity.profile
  await recordAudit(ctx, 'account_linked', user.id, { provider: 'code_host', linkId: id, login })
  return user.id
}

/** Inserts the user. Returns undefined if the verified address is taken. */
async function insertUser(ctx: AuditContext, profile: CodeHostProfile): Promise<string | undefined> {
  const now = ctx.now()
  const id = newId(now)
  const insert = async (email: string, verified: boolean) => {
    const rows = await ctx.db.query<unknown[]>(
      `INSERT INTO users (id, email, name, avatar, email_verified, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT DO NOTHING RETURNING id`,
      [id, email, profile.name, profile.avatar, verified, now],
    )
    return rows.length === 1
  }
  if (profile.verifiedEmail !== null) return (await insert(profile.verifiedEmail, true)) ? id : undefined
  const placeholder = placeholderAddress(ctx, profile)
  // Another user may have signed up with that address before, and must not lock the real owner out.
  if (!(await insert(placeholder, false))) await insert(`${id.toLowerCase()}+${placeholder}`, false)
  return id
}

/** Returns a no-reply address in the code host's format, for users without a verified address. */
function placeholderAddress({ config }: Pick<AuditContext, 'config'>, { accountId, login }: CodeHostProfile): string {
  return `${accountId}+${login.toLowerCase()}@${noReplyDomain(config.codeHost)}`
}

async function insertLink(ctx: AuditContext, userId: string, identity: Identity): Promise<string> {
  const now = ctx.now()
  const id = newId(now)
  await ctx.db.getRepository(AccountLinkEntity).insert({
    id,
    userId,
    provider: 'code_host',
    providerAccountId: identity.profile.accountId,
    login: identity.profile.login,
    ...encryptTokens(ctx, id, identity.tokens),
    createdAt: now,
    updatedAt: now,
  })
  return id
}

/** Keeps a stored token that has more scopes, because a plain sign-in requests only the identity scopes. */
async function renewLink(ctx: AuditContext, link: AccountLinkRow, { profile, tokens }: Identity): Promise<void> {
  const now = ctx.now()
  const expired = link.accessTokenExpiresAt !== null && link.accessTokenExpiresAt <= now
  const granted = scopesOf(tokens.scope)
  const kept = !expired && scopesOf(link.scope).some((scope) => !granted.includes(scope))
  await ctx.db
    .getRepository(AccountLinkEntity)
    .update(
      { id: link.id },
      { ...(kept ? {} : encryptTokens(ctx, link.id, tokens)), login: profile.login, updatedAt: now },
    )
  await fillProfile(ctx, link.userId, profile)
  const more = granted.filter((scope) => !scopesOf(link.scope).includes(scope))
  if (kept || more.length === 0) return
  const details = { provider: 'code_host', linkId: link.id, login: profile.login, scopesAdded: more }
  await recordAudit(ctx, 'account_linked', link.userId, details)
}

const scopesOf = (scope: string | null) => (scope ?? '').split(/[\s,]+/).filter(Boolean)

/** Fills only empty fields, so that values set by the user stay. */
async function fillProfile({ db, now }: AuditContext, userId: string, profile: CodeHostProfile): Promise<void> {
  await db.query(
    `UPDATE users SET name = coalesce(nullif(name, ''), $2), avatar = coalesce(avatar, $3), updated_at = $4
      WHERE id = $1 AND (name = '' OR (avatar IS NULL AND $3::text IS NOT NULL))`,
    [userId, profile.name, profile.avatar, now()],
  )
}
