import { withBorrowed } from '../client/borrowed-repository.ts'
import { compareWithCommit } from '../client/compare-working-tree.ts'

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

export interface Changes {
  /** Files in the commit or the index that differ from the commit. */
  tracked: string[]
  /** Files that git neither tracks nor ignores. */
  untracked: string[]
}

/** Compares the working tree with the commit. Returns no changes where git fails. */
export async function findChanges(root: string, { commitSha }: Head): Promise<Changes> {
  const differences = (await compareWithCommit(root, commitSha)) ?? []
  const pathsOf = (isUntracked: boolean) =>
    differences.flatMap((one) => (one.isUntracked === isUntracked ? [one.path] : []))
  return { tracked: pathsOf(false), untracked: pathsOf(true) }
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

export async function isCommitted(root: string, path: string): Promise<boolean> {
  const head = await readHead(root)
  if (head === undefined) return false
  const found = await withBorrowed(root, async ({ gitDir, git, signal }) => {
    await git({ args: ['cat-file', '-e', `${head.commitSha}:${path}`], gitDir, signal })
    return true
  })
  return found ?? false
}
