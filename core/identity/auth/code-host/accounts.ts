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

/** Somebody as the code host presents them. */
export interface Identity {
  profile: CodeHostProfile
  tokens: CodeHostTokens
}

/**
 * The user to whom the code host's account belongs, made if need be. E-mail addresses count only where both sides have
 * verified them. Call it in a transaction.
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
    throw new CodeHostFailure('sign_up_closed', 'SIGN_UP lets nobody else in')
  }
  const userId = await insertUser(ctx, profile)
  if (userId === undefined) {
    // Somebody has signed up with the address since we looked.
    const taken = await findByEmail(ctx, profile.verifiedEmail)
    if (!taken) throw new Error('an address is taken, and nobody has it')
    return linkExisting(ctx, taken, identity)
  }
  const id = await insertLink(ctx, userId, identity)
  await acceptInvitations(ctx, userId)
  await recordAudit(ctx, 'account_created', userId, { method: 'code_host', login: profile.login })
  await recordAudit(ctx, 'account_linked', userId, { provider: 'code_host', linkId: id, login: profile.login })
  return userId
}

/** Who links, and in which session. */
type Linker = Pick<UserActor, 'userId' | 'sessionId'>

/**
 * Links the code host's account to a user who is signed in. Call it in a transaction.
 *
 * @throws CodeHostFailure where it belongs to somebody else, or the session has ended
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
 * Of parallel sign-ins of one account, the second one waits here and then finds what the first one made. The user is
 * locked too: a password reset, which may remove links and ends sessions, comes wholly before or wholly after.
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

/** The session may have been ended while we talked to the code host. */
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

/** Whoever signed up with an address that is not theirs must not get the account of the one whose it is. */
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

/** Undefined where the verified address is taken. */
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
  // Anybody can sign up with that address beforehand, and must not keep its owner out by it.
  if (!(await insert(placeholder, false))) await insert(`${id.toLowerCase()}+${placeholder}`, false)
  return id
}

/** For those without a verified address; of the code host's own kind that leads nowhere. */
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

/** A plain sign-in asks for little; what it gets does not replace a token that may do more. */
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

/** What people have set themselves stays. */
async function fillProfile({ db, now }: AuditContext, userId: string, profile: CodeHostProfile): Promise<void> {
  await db.query(
    `UPDATE users SET name = coalesce(nullif(name, ''), $2), avatar = coalesce(avatar, $3), updated_at = $4
      WHERE id = $1 AND (name = '' OR (avatar IS NULL AND $3::text IS NOT NULL))`,
    [userId, profile.name, profile.avatar, now()],
  )
}
