import type { Context } from '../base/context.ts'
import { AppError } from '../base/errors.ts'
import type { HostedProject } from '../code-host-connections/host-of.ts'
import { findPullRequest, findPullRequestOf, mayWrite } from '../code-host-connections/pull-request.ts'
import { remoteCommit } from '../projects/repository.ts'
import type { RunRequest } from '../test-runs/request.ts'
import type { CodeHostFacts } from './schema.ts'

/** The run that a command requests. */
export type RequestedRerun = Pick<RunRequest, 'event' | 'branch' | 'commitSha' | 'pullRequest' | 'fork'>

export type Rerun = { rerun: RequestedRerun } | { ignored: string }

/**
 * Finds what the command of a user runs: the head of the pull request, or the commit of the check. Only users who may push
 * to the repository can command.
 *
 * @throws AppError if the code host is unavailable, so that the delivery is tried again
 */
export async function findRerun(ctx: Context, project: HostedProject, facts: CodeHostFacts): Promise<Rerun> {
  try {
    return await ask(ctx, project, facts)
  } catch (error) {
    if (!(error instanceof AppError) || ['TIMEOUT', 'RATE_LIMITED', 'UNAVAILABLE'].includes(error.code)) throw error
    return { ignored: `Assay could not ask the code host about the command. ${error.message}` }
  }
}

async function ask(ctx: Context, project: HostedProject, facts: CodeHostFacts): Promise<Rerun> {
  const { sender, pullRequest: number, commitSha, branch } = facts
  if (sender === null) return { ignored: 'The payload does not name the user who gave the command.' }
  if (!(await mayWrite(ctx, project, sender))) {
    return { ignored: `The user ${sender} may not push to the repository, so the command has no effect.` }
  }
  const found =
    number === null
      ? commitSha === null
        ? undefined
        : await findPullRequestOf(ctx, project, { headSha: commitSha })
      : await findPullRequest(ctx, project, number)
  if (found) {
    if (!found.isOpen) return { ignored: `The pull request ${found.number} is closed.` }
    const { headBranch, headSha, isFork: fork } = found
    return {
      rerun: { event: 'pull_request', branch: headBranch, commitSha: headSha, pullRequest: found.number, fork },
    }
  }
  if (number !== null) return { ignored: `The code host has no pull request ${number}.` }
  if (branch === null || commitSha === null) return { ignored: 'The payload names no branch and commit.' }
  // Only the head of the project's own branch may run with the project's environment.
  if ((await remoteCommit(ctx, project, branch)) !== commitSha) {
    return { ignored: `The commit ${commitSha} is not the head of the branch ${branch}.` }
  }
  return { rerun: { event: 'push', branch, commitSha, pullRequest: null, fork: false } }
}
