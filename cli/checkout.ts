import { withBorrowed } from '../client/borrowed-repository.ts'

/** The checked-out commit. */
export interface Head {
  commitSha: string
  /** Null for a detached HEAD. */
  branch: string | null
}

/** Returns undefined where there is no commit, or git fails. */
export async function readHead(root: string): Promise<Head | undefined> {
  const { commitOf, currentBranch } = await import('../engines/source/local.ts')
  return withBorrowed(root, async ({ repository, signal }) => {
    const commitSha = await commitOf(repository.gitDir, 'HEAD', signal)
    if (commitSha === undefined) return undefined
    return { commitSha, branch: (await currentBranch(repository.gitDir, signal)) ?? null }
  })
}

/** Counts the commits since one; undefined where the checkout does not have that commit. */
export async function commitsSince(root: string, commitSha: string): Promise<number | undefined> {
  const head = await readHead(root)
  if (head === undefined) return undefined
  return withBorrowed(root, async ({ gitDir, git, signal }) => {
    const args = ['rev-list', '--count', '--end-of-options', `${commitSha}..${head.commitSha}`]
    return Number(await git({ args, gitDir, signal }))
  })
}

/**
 * Returns the head of the pull request that Jenkins merged with its target: the first parent of a commit that Jenkins
 * made and pushed nowhere. Undefined for other commits.
 */
export async function headOfJenkinsMerge(root: string, commitSha: string): Promise<string | undefined> {
  const printed = await withBorrowed(root, ({ git, gitDir, signal }) =>
    git({ args: ['log', '-1', '--format=%ce %P', '--end-of-options', commitSha], gitDir, signal }),
  )
  const [committer, head, target, ...others] = printed?.trim().split(' ') ?? []
  return committer === 'nobody@nowhere' && target !== undefined && others.length === 0 ? head : undefined
}
