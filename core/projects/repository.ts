import { AnalysisError } from '../analysis/analyzer/types.ts'
import { resolveRemoteCommit } from '../analysis/analyzer/source/remote.ts'
import { isValidBranchName, parseRepositoryUrl } from '../analysis/analyzer/source/url.ts'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'

const lookupTimeout = 5_000

/** The repository as it is stored. Refused early: what could never be fetched. */
export function acceptRepository(ctx: Context, repository: string): string {
  try {
    parseRepositoryUrl(repository, { allowLocal: ctx.config.repositoriesAllowLocal })
  } catch (error) {
    if (error instanceof AnalysisError) throw invalid(`repository: ${error.message}`, { cause: error })
    throw error
  }
  return repository
}

export function acceptBranch(branch: string): string {
  if (!isValidBranchName(branch)) throw invalid('branch: is not a name that git accepts for a branch')
  return branch
}

/** The branch that the repository names as its default, `main` where it cannot be asked just now. */
export async function defaultBranch(ctx: Context, repository: string): Promise<string> {
  const found = await lookUp(ctx, repository, undefined)
  return found?.branch ?? 'main'
}

/** The commit that the branch stands at now; undefined where the repository cannot be asked. */
export async function remoteCommit(
  ctx: Context,
  repository: string,
  branch: string | null,
): Promise<string | undefined> {
  return (await lookUp(ctx, repository, branch ?? undefined))?.commitSha
}

async function lookUp(ctx: Context, repository: string, branch: string | undefined) {
  try {
    return await resolveRemoteCommit({
      url: repository,
      ref: { branch },
      allowLocal: ctx.config.repositoriesAllowLocal,
      allowCidrs: ctx.config.outboundAllowCidrs,
      signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(lookupTimeout)]),
    })
  } catch (error) {
    if (!(error instanceof AnalysisError)) throw error
    ctx.log.info({ code: error.code, repository }, 'repository could not be asked')
    return undefined
  }
}
