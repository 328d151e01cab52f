import { asAppError } from '../base/errors.ts'
import type { Config } from '../config.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { parseRepositoryUrl } from '../../engines/source/url.ts'
import { MembershipEntity } from '../identity/organizations/entity.ts'
import { findLink, freshLink, readsPrivate, tokenOf } from './account.ts'
import type { CodeHostContext } from './context.ts'
import { howToLink } from './problems.ts'

/** The repository of a project, and the user whose account reads it. */
export interface RepositoryOf {
  repository: string
  /** The user who chose it; null if a restricted token did. */
  repositoryUserId: string | null
  userId: string
  organizationId: string | null
}

/** How to read a repository of the code host, and what to tell the user if that fails. */
export interface RepositoryAccess {
  /** For git. Without it only public repositories can be read. */
  credential?: { username: string; password: string }
  advice: string
}

/**
 * Reads a repository with the credential, if there is one. If it is rejected, it reads again without, because public
 * repositories must stay readable with a revoked token.
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

/** GitHub checks only the password. Its documentation uses this name. */
const username = 'x-access-token'

/** Returns owner and name of a repository at the code host; undefined for other hosts and local paths. */
export function placeOnCodeHost({ codeHost }: Pick<Config, 'codeHost'>, repository: string) {
  const location = parseRepositoryUrl(repository, { allowLocal: true })
  const host = new URL(codeHost.url)
  if (location.kind !== 'remote' || location.origin !== host.origin) return undefined
  const path = new URL(location.url).pathname.slice(host.pathname.replace(/(?<!\/)\/+$/, '').length)
  const [, owner, name] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(path) ?? []
  return owner === undefined || name === undefined ? undefined : { owner, name }
}

/**
 * Finds the user whose account reads a project's repository: the one who chose it, as long as they belong to the
 * project. With any other account, a member could point the project at a repository that only this account can read.
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

/** Checks, without calling the code host, whether an account can read the project's repository. */
export async function hasReader(ctx: Pick<CodeHostContext, 'db'>, project: Omit<RepositoryOf, 'repository'>) {
  const reader = await findReader(ctx, project)
  const link = reader === undefined ? undefined : await findLink(ctx, reader)
  return link !== undefined && readsPrivate(link)
}

/** Returns how to read a project's repository; undefined if it is not at the code host. */
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

/** Returns how a user reads a repository. */
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
  // Such a token can read only public repositories, which need no token.
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
