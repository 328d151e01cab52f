import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RepositoryError } from './types.ts'
import { GitError, type GitSetting, runGit } from './git.ts'

const settings: readonly GitSetting[] = [
  // Programs of the repository may rely on its links; git itself never writes through one.
  ['core.symlinks', 'true'],
  ['advice.detachedHead', 'false'],
  ['init.defaultBranch', 'main'],
]

/**
 * Writes a commit's files into a folder, which is made, as a repository of its own with this one commit: tools that ask
 * git something get an answer. No filter, hook or submodule of the repository has any effect.
 */
export async function checkOut(
  { gitDir, commitSha }: { gitDir: string; commitSha: string },
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const run = (args: string[], more: { gitDir?: string; environment?: Record<string, string> } = {}) =>
    runGit({ args, cwd: directory, settings, signal, ...more })
  const own = { gitDir: join(directory, '.git') }
  const source = 'refs/assay/checkout'
  try {
    // Git gives out what has a name.
    await runGit({ args: ['update-ref', source, commitSha], gitDir, signal })
    await runGit({
      args: [
        'init',
        '--quiet',
        '--template=',
        `--object-format=${commitSha.length === 64 ? 'sha256' : 'sha1'}`,
        directory,
      ],
      settings,
      signal,
    })
    await run(['fetch', '--quiet', '--depth=1', '--no-tags', `file://${gitDir}`, source], {
      ...own,
      environment: { GIT_ALLOW_PROTOCOL: 'file' },
    })
    await run(['checkout', '--quiet', '--force', '--detach', commitSha], own)
    // Says where the copy came from.
    await rm(join(own.gitDir, 'FETCH_HEAD'), { force: true })
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    throw new RepositoryError(
      'not_a_repository',
      `The commit cannot be checked out: ${error.stderr.replaceAll(gitDir, 'the clone').trim().slice(0, 500)}`,
    )
  }
}
