import { withBorrowed } from './borrowed-repository.ts'

/** A file of the working tree that differs from a commit. */
export interface Difference {
  path: string
  kind: 'added' | 'changed' | 'deleted'
  /** Neither committed nor added to git's index. */
  isUntracked: boolean
}

/**
 * Compares a working tree with a commit, including new files. Returns undefined where git fails, for example because the
 * checkout does not have the commit. Starts no hook, filter or monitor that the settings of the checkout name.
 */
export async function compareWithCommit(root: string, commitSha: string): Promise<Difference[] | undefined> {
  const [{ listWorkingFiles }, { copyIndex }] = await Promise.all([
    import('../engines/source/working-list.ts'),
    import('../engines/source/working-changes.ts'),
  ])
  return withBorrowed(root, async ({ repository, gitDir, git, signal }) => {
    const files = await listWorkingFiles({ top: root, repository, gitDir, maxFiles: Infinity, signal })
    const untracked = files.flatMap(({ name, mode }) => (mode === undefined ? [name.toString()] : []))
    const index = await copyIndex(repository, gitDir)
    // A checkout without a commit.
    if (index === undefined) return undefined
    // A submodule has settings of its own.
    const how = ['--no-ext-diff', '--no-textconv', '--no-renames', '--ignore-submodules=dirty']
    const printed = await git({
      args: ['diff', ...how, '--name-status', '-z', commitSha, '--'],
      gitDir,
      cwd: root,
      environment: { GIT_WORK_TREE: root, GIT_INDEX_FILE: index },
      signal,
    })
    const tracked = readStatuses(printed)
    const known = new Set(tracked.map(({ path }) => path))
    return [
      ...tracked,
      ...untracked
        .filter((path) => !known.has(path))
        .map((path) => ({ path, kind: 'added' as const, isUntracked: true })),
    ]
  })
}

function readStatuses(printed: string): Difference[] {
  const words = printed.split('\0')
  return words.flatMap((status, index) => {
    if (index % 2 !== 0 || status === '') return []
    const kind = status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'changed'
    return [{ path: words[index + 1] ?? '', kind, isUntracked: false }]
  })
}
