import { readTokens } from './link-tokens.ts'
import { AccountLinkEntity, type AccountLinkRow } from './entity.ts'
import type { CodeHostContext } from './context.ts'
import { linkAgain } from './problems.ts'
import { refreshLink } from './refresh.ts'

/** Before a token expires, it is renewed: whoever gets it may need it for a while. */
const usefulLifeMs = 5 * 60_000

/** Whether the link's token may read private repositories. Tokens without scopes are those of GitHub Apps, which may. */
export function readsPrivate({ scope }: Pick<AccountLinkRow, 'scope'>): boolean {
  const scopes = (scope ?? '').split(/[\s,]+/).filter(Boolean)
  return scopes.length === 0 || scopes.includes('repo')
}

/** The account that a user linked; of several the latest, and before that one which may read private repositories. */
export async function findLink({ db }: Pick<CodeHostContext, 'db'>, userId: string) {
  const links = await db
    .getRepository(AccountLinkEntity)
    .find({ where: { userId, provider: 'code_host' }, order: { updatedAt: 'DESC', id: 'DESC' } })
  return links.find(readsPrivate) ?? links[0]
}

/** The link with a token that is good for some minutes, as far as anybody knows. */
export async function freshLink(ctx: CodeHostContext, link: AccountLinkRow): Promise<AccountLinkRow> {
  const { accessTokenExpiresAt, refreshToken } = link
  const soon = ctx.now().getTime() + usefulLifeMs
  if (refreshToken === null || accessTokenExpiresAt === null || accessTokenExpiresAt.getTime() > soon) return link
  const renewed = await refreshLink(ctx, link)
  if (!renewed) throw linkAgain(ctx.config)
  return renewed
}

/** Its plain token. */
export const tokenOf = ({ config }: Pick<CodeHostContext, 'config'>, link: AccountLinkRow) =>
  readTokens(config, link).accessToken

/** Notes that the code host refused the token: the next sign-in replaces it, even by one that may do less. */
export async function markRefused({ db, now }: CodeHostContext, { id, accessToken }: AccountLinkRow): Promise<void> {
  await db.getRepository(AccountLinkEntity).update({ id, accessToken }, { accessTokenExpiresAt: now() })
}
