import { readIfThere } from './files.ts'
import { runGit, startGit } from './git.ts'
import { lineRecords } from './records.ts'
import { join } from 'node:path'

interface Repository {
  gitDir: string
  signal: AbortSignal
}

/** What a commit refers to. Any of it may be missing. */
export interface CommitLinks {
  tree: string
  parents: string[]
}

/**
 * Reads the links of commits.
 *
 * @throws GitError if one is missing or damaged
 */
export async function readCommits(
  { gitDir, signal }: Repository,
  commits: readonly string[],
): Promise<Map<string, CommitLinks>> {
  const links = new Map<string, CommitLinks>()
  if (commits.length === 0) return links
  const args = ['rev-list', '--no-walk=unsorted', '--no-commit-header', '--format=%H %T %P', '--stdin']
  await using git = await startGit({ args, gitDir, signal })
  git.stdin.end(commits.join('\n'))
  for await (const lines of lineRecords(git.stdout)) {
    for (const line of lines) {
      const [commit = '', tree = '', ...parents] = line.toString('latin1').split(' ')
      links.set(commit, { tree, parents: parents.filter((parent) => parent !== '') })
    }
  }
  await git.succeed()
  return links
}

/** Returns the type of each object, in the order given; undefined for those that the repository does not have. */
export async function objectTypes(
  { gitDir, signal }: Repository,
  names: readonly string[],
): Promise<(string | undefined)[]> {
  if (names.length === 0) return []
  const answer = await runGit(
    { args: ['cat-file', '--batch-check=%(objecttype)', '--buffer'], gitDir, signal },
    names.map((name) => `${name}\n`).join(''),
  )
  const lines = answer.split('\n').slice(0, names.length)
  return lines.map((line) => (/^(?:commit|tree|blob|tag)$/.test(line) ? line : undefined))
}

/** Lists the commits at which the history that the repository knows ends. */
export const readShallow = async (gitDir: string): Promise<string[]> =>
  ((await readIfThere(join(gitDir, 'shallow'))) ?? '').split('\n').filter((line) => line !== '')
