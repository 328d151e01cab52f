import { RepositoryError } from '../types.ts'
import { GitError } from '../git.ts'

export const isDiskFull = (error: GitError): boolean => /No space left on device/.test(error.stderr)

/** Words for a failure of git while it reads the user's repository. Other errors stay as they are. */
export function explainGit(error: unknown, top: string): unknown {
  if (!(error instanceof GitError)) return error
  if (isDiskFull(error)) {
    return new RepositoryError('working_tree_refused', 'No disk space is left for temporary files. Free some space.')
  }
  return new RepositoryError(
    'not_a_repository',
    `git cannot read all objects of ${top}. The repository is damaged, or a partial clone that lacks objects. ` +
      'Run git fsck there.',
  )
}
