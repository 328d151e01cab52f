import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What is checked out in a folder. */
export interface Head {
  commitSha: string
  /** Null where no branch is. */
  branch: string | null
  /** Something differs from the commit, new files included. */
  isChanged: boolean
}

/** Undefined where nothing is checked out, or git cannot say. */
export async function readHead(root: string): Promise<Head | undefined> {
  const commitSha = await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  if (commitSha === undefined) return undefined
  const branch = await git(root, ['symbolic-ref', '--quiet', '--short', 'HEAD'])
  const changes = await git(root, ['status', '--porcelain'])
  return { commitSha, branch: branch ?? null, isChanged: changes !== undefined && changes !== '' }
}

async function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
  try {
    // A checkout may name a program that git is to start when it looks for changes.
    const { stdout } = await run('git', ['-c', 'core.fsmonitor=false', ...args], { cwd, timeout: 10_000 })
    return stdout.trim()
  } catch {
    return undefined
  }
}
