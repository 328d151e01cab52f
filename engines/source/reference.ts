import { RepositoryError } from './types.ts'

/** Without a commit the tip of the branch is meant, without a branch that of the default branch. Tags are branches here. */
export interface CommitRef {
  branch?: string
  commitSha?: string
}

/** Explains why there is no commit to analyze. `branches` are all branches of the repository. */
export function branchMissing(branch: string | undefined, branches: readonly string[]): RepositoryError {
  if (branches.length === 0) {
    return new RepositoryError(
      'empty_repository',
      'The repository has no commits yet. Add a commit to it, then analyze it.',
    )
  }
  const known = branches.slice(0, 5).join(', ') + (branches.length > 5 ? `, and ${branches.length - 5} more` : '')
  return branch === undefined
    ? new RepositoryError(
        'branch_not_found',
        `The repository's default branch does not exist. Specify the branch to analyze. The branches are: ${known}.`,
      )
    : new RepositoryError('branch_not_found', `The repository has no branch ${branch}. The branches are: ${known}.`)
}

export const commitMissing = (commitSha: string) =>
  new RepositoryError(
    'commit_not_found',
    `The repository has no commit ${commitSha}. It may not have been pushed yet, or a force push replaced it.`,
  )
