import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { compareWithCommit } from '../client/compare-working-tree.ts'

const run = promisify(execFile)
const timeoutMs = 10_000

/** The checked-out commit. */
export interface Head {
  commitSha: string
  /** Null for a detached HEAD. */
  branch: string | null
}

/** Returns undefined where there is no commit, or git fails. */
export async function readHead(root: string): Promise<Head | undefined> {
  const commitSha = await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  if (commitSha === undefined) return undefined
  const branch = await git(root, ['symbolic-ref', '--quiet', '--short', 'HEAD'])
  return { commitSha, branch: branch ?? null }
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
  const count = await git(root, ['rev-list', '--count', '--end-of-options', `${commitSha}..HEAD`])
  return count === undefined ? undefined : Number(count)
}

export async function isCommitted(root: string, path: string): Promise<boolean> {
  return (await git(root, ['cat-file', '-e', `HEAD:${path}`])) !== undefined
}

const safeSettings = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'protocol.allow=never'].flatMap((setting) => [
  '-c',
  setting,
])

async function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
  try {
    // The settings of a checkout may make git start programs, or fetch missing objects.
    const { stdout } = await run('git', [...safeSettings, ...args], { cwd, timeout: timeoutMs })
    return stdout.trim()
  } catch {
    return undefined
  }
}
