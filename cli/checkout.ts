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
