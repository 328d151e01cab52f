import { asAppError } from '../base/errors.ts'
import type { Config } from '../config.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { parseRepositoryUrl } from '../../engines/source/url.ts'
import { MembershipEntity } from '../identity/organizations/entity.ts'
import { findLink, freshLink, readsPrivate, tokenOf } from './account.ts'
import type { CodeHostContext } from './context.ts'
import { howToLink } from './problems.ts'

/** A project's repository, and who may read it. */
export interface RepositoryOf {
  repository: string
  /** Who chose it; null for a choice that is no user's own. */
  repositoryUserId: string | null
  userId: string
  organizationId: string | null
}

/** How a repository of the code host is read, and what to do where that is not enough. */
export interface RepositoryAccess {
  /** For git; absent where only public repositories can be read. */
  credential?: { username: string; password: string }
  advice: string
}

/**
 * Reads a repository with the credential, if there is one. Where that is refused, without: a revoked token must not
 * close what is open to everybody.
 */
export async function withCredential<T>(
  access: RepositoryAccess | undefined,
  read: (credential: RepositoryAccess['credential']) => Promise<T>,
): Promise<T> {
  const credential = access?.credential
  if (!credential) return read(undefined)
  try {
    return await read(credential)
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code !== 'authentication_required') throw error
    return read(undefined)
  }
}

const chooseAgain = 'A user whose linked account can read the repository must choose it again.'

/** GitHub looks at the password alone; this name is the one that its documentation has. */
const username = 'x-access-token'

/** A repository's place at the code host; undefined for those of other hosts and of this machine. */
export function placeOnCodeHost({ codeHost }: Pick<Config, 'codeHost'>, repository: string) {
  const location = parseRepositoryUrl(repository, { allowLocal: true })
  const host = new URL(codeHost.url)
  if (location.kind !== 'remote' || location.origin !== host.origin) return undefined
  const path = new URL(location.url).pathname.slice(host.pathname.replace(/\/+$/, '').length)
  const [, owner, name] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(path) ?? []
  return owner === undefined || name === undefined ? undefined : { owner, name }
}

/**
 * Whose account reads a project's repository: that of whoever chose it, as long as they belong to the project. Nobody
 * else's, since whoever may change the project could have it point at any repository that this somebody can read.
 */
export async function findReader(
  { db }: Pick<CodeHostContext, 'db'>,
  project: Omit<RepositoryOf, 'repository'>,
): Promise<string | undefined> {
  const { userId, organizationId, repositoryUserId } = project
  if (repositoryUserId === null) return undefined
  const belongs =
    organizationId === null
      ? repositoryUserId === userId
      : await db.getRepository(MembershipEntity).existsBy({ organizationId, userId: repositoryUserId })
  return belongs ? repositoryUserId : undefined
}

/** Whether somebody's account stands by to read the project's repository, as far as can be told without asking. */
export async function hasReader(ctx: Pick<CodeHostContext, 'db'>, project: Omit<RepositoryOf, 'repository'>) {
  const reader = await findReader(ctx, project)
  const link = reader === undefined ? undefined : await findLink(ctx, reader)
  return link !== undefined && readsPrivate(link)
}

/** As what a project's repository is read; undefined where it is not at the code host. */
export async function accessToRepository(
  ctx: CodeHostContext,
  project: RepositoryOf,
): Promise<RepositoryAccess | undefined> {
  if (!placeOnCodeHost(ctx.config, project.repository)) return undefined
  const reader = await findReader(ctx, project)
  if (reader !== undefined) return accessOf(ctx, reader)
  return {
    advice: `No account can read it: the user who chose the repository no longer belongs to this project. ${chooseAgain}`,
  }
}

/** As what a user reads this repository. */
export async function accessAsUser(
  ctx: CodeHostContext,
  userId: string,
  repository: string,
): Promise<RepositoryAccess | undefined> {
  return placeOnCodeHost(ctx.config, repository) && accessOf(ctx, userId)
}

async function accessOf(ctx: CodeHostContext, userId: string): Promise<RepositoryAccess> {
  const link = await findLink(ctx, userId)
  const how = howToLink(ctx.config)
  if (!link)
    return { advice: `The user who chose it has not linked an account of the code host. ${chooseAgain} ${how}` }
  const name = link.login === null ? 'The linked account' : `The linked account ${link.login}`
  // It opens nothing that is not open to everybody.
  if (!readsPrivate(link))
    return { advice: `${name} was linked without the scope "repo" and can only read public repositories. ${how}` }
  try {
    const password = tokenOf(ctx, await freshLink(ctx, link))
    return {
      credential: { username, password },
      advice: `${name} cannot read it, or its token was revoked. If it was revoked, link the account again. ${how}`,
    }
  } catch (error) {
    const known = asAppError(error)
    if (!known) throw error
    ctx.log.warn({ userId, code: known.code, reason: known.message }, 'cannot use a linked account of the code host')
    return { advice: known.message }
  }
}
