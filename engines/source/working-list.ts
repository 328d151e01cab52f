import { copyFile, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { RepositoryError } from './types.ts'
import { isErrno, listIfThere } from './files.ts'
import { GitError, runGit, startGit } from './git.ts'
import type { LocalRepository } from './local.ts'
import { nulRecords } from './records.ts'
import { fileCounter } from './tree.ts'
import type { IndexedState } from './working-files.ts'

/** A file that git tracks or would add. */
export interface ListedFile {
  /** Below the top of the tree, as the file system has it. */
  name: Buffer
  /** What the index says; absent for untracked files. */
  mode?: string
  blobId?: string
  indexed?: IndexedState
}

interface WorkingList {
  top: string
  repository: LocalRepository
  /** Where git runs: a repository of ours, whose settings are ours. */
  gitDir: string
  maxFiles: number
  signal: AbortSignal
}

const slash = 47

/** Tracked files, and untracked ones that are not ignored. A file with conflicts is listed once. */
export async function listWorkingFiles(request: WorkingList): Promise<ListedFile[]> {
  const { top, repository, gitDir, signal } = request
  const [excludes] = await Promise.all([excludesFile(repository, signal), shareIndex(repository, gitDir)])
  const count = fileCounter(request.maxFiles)

  const list = async (options: string[], read: (record: Buffer) => ListedFile | undefined) => {
    const files: [name: string, file: ListedFile][] = []
    await using git = await startGit({
      args: ['ls-files', '-z', ...options],
      gitDir,
      cwd: top,
      environment: { GIT_WORK_TREE: top, GIT_INDEX_FILE: join(repository.gitDir, 'index') },
      settings: [['core.excludesFile', excludes]],
      signal,
    })
    git.stdin.end()
    for await (const records of nulRecords(git.stdout)) {
      for (const record of records) {
        const file = read(record)
        if (!file) continue
        count('file', file.name.length)
        files.push([file.name.toString('latin1'), file])
      }
    }
    try {
      await git.succeed()
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      throw new RepositoryError('not_a_repository', `git cannot list the files of ${top}. Run git status there.`)
    }
    return files
  }

  const [tracked, others] = await Promise.all([
    list(['--cached', '--stage', '--debug'], indexReader()),
    // A name that ends in a slash is another repository inside of this one.
    list(['--others', '--exclude-standard'], (name) => (name.at(-1) === slash ? undefined : { name })),
  ])
  return [...new Map([...tracked, ...others]).values()]
}

/**
 * Reads records of `ls-files --stage --debug -z`, where what is known of a file follows after its name and so comes
 * with the next record. Git does not promise that format. A record that cannot be parsed only makes its file be read.
 */
function indexReader() {
  let last: ListedFile | undefined
  return (record: Buffer): ListedFile | undefined => {
    const text = record.toString('latin1')
    const [whole = '', state, mode, blobId] =
      /^([\s\S]*?)([0-7]{6}) ([0-9a-f]{40}(?:[0-9a-f]{24})?) [0-3]\t/.exec(text) ?? []
    if (last) last.indexed = indexedState(state ?? text)
    last = mode === undefined ? undefined : { name: record.subarray(whole.length), mode, blobId }
    return last
  }
}

function indexedState(text: string): IndexedState | undefined {
  const [, changed, changedNs, modified, modifiedNs, inode, size] =
    /^ *ctime: (\d+):(\d+)\n *mtime: (\d+):(\d+)\n *dev: \d+\tino: (\d+)\n.*\n *size: (\d+)\t/.exec(text) ?? []
  if (!changed || !changedNs || !modified || !modifiedNs || !inode || !size) return undefined
  const nanoseconds = (whole: string, rest: string) => BigInt(whole) * 1_000_000_000n + BigInt(rest)
  return {
    ctimeNs: nanoseconds(changed, changedNs),
    mtimeNs: nanoseconds(modified, modifiedNs),
    inode: BigInt(inode),
    size: BigInt(size),
  }
}

/** Puts what git looks for beside an index to where it will look: in the folder that it takes for the repository. */
export async function shareIndex(repository: LocalRepository, gitDir: string): Promise<void> {
  await mkdir(join(gitDir, 'info'), { recursive: true })
  const own = ['exclude', 'attributes'].map(
    (name) => [join(repository.commonDir, 'info', name), `info/${name}`] as const,
  )
  // Copied and not linked, because git sets the time of a shared index that it reads.
  const shared = (await listIfThere(repository.gitDir)).filter((name) => name.startsWith('sharedindex.'))
  const files = [...own, ...shared.map((name) => [join(repository.gitDir, name), name] as const)]
  await Promise.all(files.map(([from, to]) => copyFile(from, join(gitDir, to)).catch(ifMissing)))
}

function ifMissing(error: unknown): void {
  if (!isErrno(error, 'ENOENT')) throw error
}

/** The ignore rules that the user has for all repositories: a setting of theirs, which is looked up and nothing else. */
async function excludesFile(repository: LocalRepository, signal: AbortSignal): Promise<string> {
  const home = homedir()
  try {
    const configured = await runGit({
      args: ['config', '--type=path', '--get', 'core.excludesFile'],
      gitDir: repository.gitDir,
      environment: { HOME: home, GIT_CONFIG_GLOBAL: undefined },
      signal,
    })
    return configured.replace(/\n$/, '')
  } catch (error) {
    if (error instanceof GitError) return join(home, '.config/git/ignore')
    throw error
  }
}
