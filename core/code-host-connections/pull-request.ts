import { conflict } from '../base/errors.ts'
import type { CodeHostContext } from '../code-host/context.ts'
import type { CodeHostApi, PullRequest, PullRequestQuery } from '../code-host/hosts/api.ts'
import { type HostedProject, hostOf } from './host-of.ts'

export type { PullRequest, PullRequestQuery } from '../code-host/hosts/api.ts'

/**
 * Reads a pull request from the code host of a project; undefined if it does not exist.
 *
 * @throws AppError CONFLICT if the code host cannot be reached with any account; RATE_LIMITED; TIMEOUT
 */
export async function findPullRequest(
  ctx: CodeHostContext,
  project: HostedProject,
  number: number,
): Promise<PullRequest | undefined> {
  return (await requireHost(ctx, project)).findPullRequest(number)
}

/**
 * Finds the open pull request with this head commit or this branch of the project's repository.
 *
 * @throws AppError like `findPullRequest`
 */
export async function findPullRequestOf(
  ctx: CodeHostContext,
  project: HostedProject,
  query: PullRequestQuery,
): Promise<PullRequest | undefined> {
  if (query.headSha === undefined && query.branch === undefined) return undefined
  return (await requireHost(ctx, project)).findPullRequestOf(query)
}

/**
 * Checks whether a user of the code host may command Assay in a comment: those who may push to the repository. The author
 * of a pull request from a fork may not, because a run uses the project's resources.
 *
 * @throws AppError like `findPullRequest`
 */
export async function mayWrite(ctx: CodeHostContext, project: HostedProject, login: string): Promise<boolean> {
  return (await requireHost(ctx, project)).mayWrite(login)
}

async function requireHost(ctx: CodeHostContext, project: HostedProject): Promise<CodeHostApi> {
  const host = await hostOf(ctx, project)
  if (host && !('problem' in host)) return host
  throw conflict(
    host ? `The code host cannot be reached: ${host.problem}.` : 'The repository of the project is not at a code host.',
  )
}
