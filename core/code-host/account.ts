import { readTokens } from './link-tokens.ts'
import { AccountLinkEntity, type AccountLinkRow } from './entity.ts'
import type { CodeHostContext } from './context.ts'
import { linkAgain } from './problems.ts'
import { refreshLink } from './refresh.ts'

/** Tokens are refreshed this long before they expire, because the caller may use them for a while. */
const usefulLifeMs = 5 * 60_000

/** Checks whether a token may read private repositories. Tokens without scopes belong to GitHub Apps, which may. */
export function readsPrivate({ scope }: Pick<AccountLinkRow, 'scope'>): boolean {
  const scopes = (scope ?? '').split(/[\s,]+/).filter(Boolean)
  return scopes.length === 0 || scopes.includes('repo')
}

/** Finds the linked account of a user: the latest that may read private repositories, or else the latest. */
export async function findLink({ db }: Pick<CodeHostContext, 'db'>, userId: string) {
  const links = await db
    .getRepository(AccountLinkEntity)
    .find({ where: { userId, provider: 'code_host' }, order: { updatedAt: 'DESC', id: 'DESC' } })
  return links.find(readsPrivate) ?? links[0]
}

/** Returns the link with a token that does not expire within the next minutes, refreshing it if necessary. */
export async function freshLink(ctx: CodeHostContext, link: AccountLinkRow): Promise<AccountLinkRow> {
  const { accessTokenExpiresAt, refreshToken } = link
  const soon = ctx.now().getTime() + usefulLifeMs
  if (refreshToken === null || accessTokenExpiresAt === null || accessTokenExpiresAt.getTime() > soon) return link
  const renewed = await refreshLink(ctx, link)
  if (!renewed) throw linkAgain(ctx.config)
  return renewed
}

export const tokenOf = ({ config }: Pick<CodeHostContext, 'config'>, link: AccountLinkRow) =>
  readTokens(config, link).accessToken

/** Marks the token as expired, so that the next sign-in replaces it, even with a token with fewer scopes. */
export async function markRefused({ db, now }: CodeHostContext, { id, accessToken }: AccountLinkRow): Promise<void> {
  await db.getRepository(AccountLinkEntity).update({ id, accessToken }, { accessTokenExpiresAt: now() })
}
