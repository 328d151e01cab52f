import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { runGit } from '../engines/source/git.ts'
import type { LocalRepository } from '../engines/source/local.ts'

const timeoutMs = 10_000

export interface Borrowed {
  repository: LocalRepository
  /** A bare repository with the objects of the checkout and none of its settings, which could name programs. */
  gitDir: string
  git: typeof runGit
  signal: AbortSignal
}

/**
 * Calls `work` with a temporary repository that reads the objects of a checkout. Returns undefined where git fails, for
 * example because the checkout does not have a commit.
 */
export async function withBorrowed<T>(root: string, work: (borrowed: Borrowed) => Promise<T>): Promise<T | undefined> {
  const [{ borrowObjects, openLocal }, { GitError, runGit }, { RepositoryError }] = await Promise.all([
    import('../engines/source/local.ts'),
    import('../engines/source/git.ts'),
    import('../engines/source/types.ts'),
  ])
  const signal = AbortSignal.timeout(timeoutMs)
  const folder = await mkdtemp(join(tmpdir(), 'assay-checkout-'))
  try {
    const repository = await openLocal(root, signal)
    const gitDir = join(folder, 'repository.git')
    await borrowObjects(repository, gitDir)
    return await work({ repository, gitDir, git: runGit, signal })
  } catch (error) {
    if (error instanceof GitError || error instanceof RepositoryError || signal.aborted) return undefined
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
