import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { compareWithCommit } from '../client/compare-working-tree.ts'

const run = promisify(execFile)
const timeoutMs = 10_000

/** What is checked out in a folder. */
export interface Head {
  commitSha: string
  /** Null where no branch is. */
  branch: string | null
}

/** Undefined where nothing is checked out, or git cannot say. */
export async function readHead(root: string): Promise<Head | undefined> {
  const commitSha = await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  if (commitSha === undefined) return undefined
  const branch = await git(root, ['symbolic-ref', '--quiet', '--short', 'HEAD'])
  return { commitSha, branch: branch ?? null }
}

export interface Changes {
  /** Files that the commit has, or the index, and that are not as they were committed. */
  tracked: string[]
  /** Files that git does not know and does not ignore. */
  untracked: string[]
}

/** What differs from the commit. Nothing where git cannot tell. */
export async function findChanges(root: string, { commitSha }: Head): Promise<Changes> {
  const differences = (await compareWithCommit(root, commitSha)) ?? []
  const pathsOf = (isUntracked: boolean) =>
    differences.flatMap((one) => (one.isUntracked === isUntracked ? [one.path] : []))
  return { tracked: pathsOf(false), untracked: pathsOf(true) }
}

/** How many commits the checkout is ahead of one of its own; undefined where it does not have that. */
export async function commitsSince(root: string, commitSha: string): Promise<number | undefined> {
  const count = await git(root, ['rev-list', '--count', '--end-of-options', `${commitSha}..HEAD`])
  return count === undefined ? undefined : Number(count)
}

export async function isCommitted(root: string, path: string): Promise<boolean> {
  return (await git(root, ['cat-file', '-e', `HEAD:${path}`])) !== undefined
}

const startNothing = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'protocol.allow=never'].flatMap((setting) => [
  '-c',
  setting,
])

async function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
  try {
    // A checkout may name programs that git is to start, also to fetch what is missing.
    const { stdout } = await run('git', [...startNothing, ...args], { cwd, timeout: timeoutMs })
    return stdout.trim()
  } catch {
    return undefined
  }
}
