import { copyFile, mkdtemp, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const timeoutMs = 10_000

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
  const [{ borrowObjects, openLocal }, { listWorkingFiles }, { GitError, runGit }] = await Promise.all([
    import('../engines/source/local.ts'),
    import('../engines/source/working-list.ts'),
    import('../engines/source/git.ts'),
  ])
  const signal = AbortSignal.timeout(timeoutMs)
  const folder = await mkdtemp(join(tmpdir(), 'assay-compare-'))
  try {
    const repository = await openLocal(root, signal)
    // A repository of our own has no settings that name programs.
    const gitDir = join(folder, 'repository.git')
    await borrowObjects(repository, gitDir)
    const files = await listWorkingFiles({ top: root, repository, gitDir, maxFiles: Infinity, signal })
    const untracked = files.flatMap(({ name, mode }) => (mode === undefined ? [name.toString()] : []))
    // Git updates the index when it compares, so it gets a copy.
    const index = join(gitDir, 'index')
    const original = join(repository.gitDir, 'index')
    await copyFile(original, index)
    // Git compares the content of files that are as new as the index. An index that is newer would hide their changes.
    const { atimeMs, mtimeMs } = await stat(original)
    await utimes(index, atimeMs / 1_000, Math.floor(mtimeMs) / 1_000)
    // A submodule has settings of its own.
    const how = ['--no-ext-diff', '--no-textconv', '--no-renames', '--ignore-submodules=dirty']
    const printed = await runGit({
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
  } catch (error) {
    const { RepositoryError } = await import('../engines/source/types.ts')
    const isExpected = error instanceof GitError || error instanceof RepositoryError || signal.aborted
    // A checkout without a commit has no index.
    if (isExpected || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) return undefined
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function readStatuses(printed: string): Difference[] {
  const words = printed.split('\0')
  return words.flatMap((status, index) => {
    if (index % 2 !== 0 || status === '') return []
    const kind = status === 'A' ? 'added' : status === 'D' ? 'deleted' : 'changed'
    return [{ path: words[index + 1] ?? '', kind, isUntracked: false }]
  })
}
