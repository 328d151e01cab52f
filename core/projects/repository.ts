import { RepositoryError } from '../../engines/source/types.ts'
import { resolveRemoteCommit } from '../../engines/source/remote.ts'
import { isValidBranchName, parseRepositoryUrl } from '../../engines/source/url.ts'
import {
  accessAsUser,
  accessToRepository,
  hasReader,
  type RepositoryAccess,
  type RepositoryOf,
  withCredential,
} from '../code-host/repository-access.ts'
import { type Caller, type Context, requireUser } from '../base/context.ts'
import { invalid } from '../base/errors.ts'
import { mayReadLocally, requireLocalRepository } from './local-repositories.ts'

const lookupTimeout = 5_000

/** Returns the repository as it is stored, or rejects one that could never be fetched or that the caller must not read. */
export async function acceptRepository(ctx: Context, repository: string): Promise<string> {
  try {
    parseRepositoryUrl(repository, { allowLocal: ctx.config.localRepositories !== 'nobody' })
  } catch (error) {
    if (error instanceof RepositoryError) throw invalid(`repository: ${error.message}`, { cause: error })
    throw error
  }
  await requireLocalRepository(ctx, repository)
  return repository
}

/**
 * Sets the repository of a project, to be read with the account of the caller. If the repository stays the same, it also
 * keeps the account that can read it.
 */
export async function chooseRepository(
  ctx: Context,
  before: RepositoryOf,
  repository: string,
): Promise<Pick<RepositoryOf, 'repository' | 'repositoryUserId'>> {
  const reader = repositoryReader(requireUser(ctx))
  const isSame = repository === before.repository
  const kept = isSame && (reader === null || (await hasReader(ctx, before)) || (await mayReadLocally(ctx, before)))
  if (kept) return { repository, repositoryUserId: before.repositoryUserId }
  return { repository: await acceptRepository(ctx, repository), repositoryUserId: reader }
}

/** Returns the user to read the caller's repository with; null for restricted tokens, which must not use the account. */
export function repositoryReader({ userId, organizationId, projectId }: Caller): string | null {
  return organizationId || projectId ? null : userId
}

export function acceptBranch(branch: string): string {
  if (!isValidBranchName(branch)) throw invalid('branch: is not a valid git branch name')
  return branch
}

/** Returns the default branch of a repository, or `main` if the repository cannot be reached or names none. */
export async function defaultBranch(ctx: Context, repository: string): Promise<string> {
  const reader = repositoryReader(requireUser(ctx))
  const access = reader === null ? undefined : await accessAsUser(ctx, reader, repository)
  const found = await lookUp(ctx, { repository, repositoryUserId: reader, access }, undefined)
  return found?.defaultBranch ?? 'main'
}

/** Returns the current commit of a branch; undefined if the repository cannot be reached. */
export async function remoteCommit(
  ctx: Context,
  project: RepositoryOf,
  branch: string | null,
): Promise<string | undefined> {
  const access = await accessToRepository(ctx, project)
  return (await lookUp(ctx, { ...project, access }, branch ?? undefined))?.commitSha
}

async function lookUp(
  ctx: Context,
  {
    repository,
    repositoryUserId,
    access,
  }: Pick<RepositoryOf, 'repository' | 'repositoryUserId'> & { access: RepositoryAccess | undefined },
  branch: string | undefined,
) {
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(lookupTimeout)])
  const allowLocal = await mayReadLocally(ctx, { repository, repositoryUserId })
  try {
    return await withCredential(access, (credential) =>
      resolveRemoteCommit({
        url: repository,
        ref: { branch },
        allowLocal,
        allowCidrs: ctx.config.outboundAllowCidrs,
        credential,
        signal,
      }),
    )
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error
    ctx.log.info({ code: error.code, repository }, 'cannot query the repository')
    return undefined
  }
}
