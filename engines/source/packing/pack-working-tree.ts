import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectFormat } from '../bare-repository.ts'
import { GitError, runGit } from '../git.ts'
import { commitOf, currentBranch, openLocal } from '../local.ts'
import { pathText } from '../path-text.ts'
import type { SnapshotLimits } from '../snapshot.ts'
import { RepositoryError } from '../types.ts'
import { topOf } from '../working-tree.ts'
import type { LeftOut } from './left-out.ts'
import { readIndex, TreeCounter } from './read-index.ts'
import { explainGit, isDiskFull } from './refusals.ts'
import { restoreFiles, stageAll } from './stage-files.ts'
import { createStagingArea, inTree, nulExchange, onObjects, type StagingArea } from './staging-area.ts'
import { checkSubmodules } from './submodules.ts'
import { makePackingFolder } from './temporary-folder.ts'
import { writePack, type WrittenPack } from './write-pack.ts'

export type { LeftOut, LeftOutReason } from './left-out.ts'
export type { WrittenPack } from './write-pack.ts'

export type PackingProgress =
  | { phase: 'listing'; files: number }
  /** `objects` is the number of all objects, `bytes` what is written of their pack. */
  | { phase: 'packing'; objects: number; bytes: number }

export interface PackingOptions {
  limits: SnapshotLimits
  /** How many of the latest commits to list. */
  maxCommits: number
  /** For opening the tree, and for each pack. Defaults to ten minutes. */
  timeoutMs?: number
  /** Files and folders that are taken in although they look like credentials. Paths from the top of the tree. */
  include?: readonly string[]
  /** Files that stay as HEAD has them. Paths from the top of the tree. */
  except?: readonly string[]
  onProgress?: (progress: PackingProgress) => void
  signal: AbortSignal
}

/** A working tree as it was when it was opened. Disposing of it removes its temporary files, packs included. */
export interface PackedWorkingTree extends AsyncDisposable {
  /** The top of the working tree. */
  root: string
  format: ObjectFormat
  /** The commit of HEAD; null before the first commit. */
  headSha: string | null
  /** The branch that is checked out; null if HEAD is a commit. */
  branch: string | null
  treeSha: string
  /** Whether the tree is that of HEAD, and nothing was left out. */
  isClean: boolean
  /** Files of the tree. */
  files: number
  /** Files that differ from HEAD. */
  changedFiles: number
  /** HEAD and its ancestors, newest first. */
  latestCommits: string[]
  leftOut: LeftOut[]
  /**
   * Writes everything that a repository which has the base lacks into a temporary file: the tree, and the commits from
   * the base to HEAD. Without a base, with more than 1,000 commits since the base, and where a shallow clone lacks
   * commits in between, the pack carries only the tree, and `headSha` is null.
   *
   * @throws RepositoryError with the code `too_large`, naming the largest files, or `commit_not_found`
   */
  pack(request: PackWorkingTree): Promise<WrittenPack>
}

export interface PackWorkingTree {
  baseSha: string | null
  /** Smaller limits than those with which the tree was opened. */
  limits?: Pick<SnapshotLimits, 'maxPackBytes'>
  onProgress?: (progress: PackingProgress) => void
  signal: AbortSignal
}

const attempts = 3
const defaultTimeoutMs = 600_000

/**
 * Makes a git tree of a working tree as it is now: tracked files, and untracked ones that are not ignored. Each file
 * gets the content that `git add` would store for the user, so an unchanged checkout gives the tree of HEAD. Git reads
 * `.gitattributes` and the user's settings for line endings, ignored files and modes; no hook, filter or other program
 * is started, and the user's repository stays as it is. Files of Git LFS become pointers; changed files with another
 * filter are left out.
 *
 * Unchanged submodules stay as a commit has them. Changed ones, paths with conflicts and unreadable files are refused.
 *
 * @throws RepositoryError that says what to do
 */
export async function packWorkingTree(path: string, options: PackingOptions): Promise<PackedWorkingTree> {
  const { limits, timeoutMs = defaultTimeoutMs } = options
  const folder = await makePackingFolder()
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 10 })
  let packs = 0
  try {
    return await explained(path, options.signal, timeoutMs, async (signal) => {
      const top = await topOf(path)
      const { area, headSha, leftOut, files } = await stage(top, folder, { ...options, signal })
      const { gitDir, repository } = area
      const [treeSha, branch] = await Promise.all([writeTree(area), currentBranch(repository.gitDir, signal)])
      const [changedFiles, latestCommits] = await Promise.all([
        headSha === null ? files : countChanged(area, headSha, treeSha),
        headSha === null ? [] : listCommits(area, headSha, options.maxCommits),
      ])
      return {
        root: top,
        format: repository.format,
        headSha,
        branch: branch ?? null,
        treeSha,
        isClean: headSha !== null && changedFiles === 0 && leftOut.length === 0,
        files,
        changedFiles,
        latestCommits,
        leftOut,
        pack: (request) =>
          explained(top, request.signal, timeoutMs, (packSignal) =>
            writePack({
              gitDir,
              headSha,
              treeSha,
              baseSha: request.baseSha,
              file: join(folder, `${++packs}.pack`),
              maxPackBytes: request.limits?.maxPackBytes ?? limits.maxPackBytes,
              maxUnpackedBytes: limits.maxUnpackedBytes,
              onBytes: (written) => request.onProgress?.({ phase: 'packing', ...written }),
              signal: packSignal,
            }),
          ),
        [Symbol.asyncDispose]: remove,
      }
    })
  } catch (error) {
    await remove()
    throw error
  }
}

/** Files may change while git reads them, so a failure is tried again with a new copy of the index. */
async function stage(top: string, folder: string, options: PackingOptions) {
  const { signal } = options
  const repository = await openLocal(top, signal)
  for (let attempt = 1; ; attempt++) {
    const gitDir = join(folder, `${attempt}.git`)
    try {
      const area = await createStagingArea(top, repository, gitDir, signal)
      return { area, ...(await stageOnce(area, options)) }
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      await rm(gitDir, { recursive: true, force: true })
      if (attempt < attempts) continue
      const [, path] = /Unable to process path (.+)/.exec(error.stderr) ?? []
      if (path === undefined || isDiskFull(error)) throw error
      const named = pathText(Buffer.from(path))
      throw new RepositoryError(
        'working_tree_refused',
        `git cannot add ${named}. Stop programs that change it all the time, add it to .gitignore, or run ` +
          `git add --dry-run ${named} to see why.`,
      )
    }
  }
}

async function stageOnce(area: StagingArea, options: PackingOptions) {
  const { limits, include = [], except = [], onProgress, signal } = options
  const count = new TreeCounter(limits.maxFiles, (files) => onProgress?.({ phase: 'listing', files }))
  const submodules = await readIndex(area, count)
  const headSha = await commitOf(area.repository.gitDir, 'HEAD', signal)
  const bounds = { maxFiles: limits.maxFiles, maxBytes: limits.maxUnpackedBytes }
  const included = new Set(include.map((path) => path.replace(/^\.\//, '').replace(/\/$/, '')))
  const leftOut = await checkSubmodules(area, submodules, headSha, bounds)
  leftOut.push(
    ...(await stageAll(area, submodules, {
      maxBytes: limits.maxUnpackedBytes,
      count,
      include: (path) => namesAbove(path).some((name) => included.has(name)),
    })),
  )
  await restoreFiles(area, headSha, except)
  count.done()
  const { files, missing } = await checkStaged(area, included)
  for (const path of missing) {
    leftOut.push({ path, reason: 'not_found', why: 'No such file is in the tree, or git ignores it.' })
  }
  return {
    headSha: headSha ?? null,
    leftOut: leftOut
      .filter(({ path }) => !except.includes(path))
      .toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    files,
  }
}

/** Counts the files of the index, and returns the included names that none of them has. */
async function checkStaged(area: StagingArea, included: ReadonlySet<string>) {
  const missing = new Set(included)
  let files = 0
  for await (const name of nulExchange(inTree(area, 'ls-files', '-z'))) {
    files++
    if (missing.size > 0) for (const above of namesAbove(pathText(name))) missing.delete(above)
  }
  return { files, missing }
}

/** A path, and the folders that it is in. */
function namesAbove(path: string): string[] {
  const names = [path]
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) names.push(path.slice(0, end))
  return names
}

// A sparse checkout of a partial clone lacks the content of files that it does not check out.
const writeTree = async (area: StagingArea) => (await runGit(inTree(area, 'write-tree', '--missing-ok'))).trim()

async function countChanged(area: StagingArea, headSha: string, treeSha: string): Promise<number> {
  let changed = 0
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', `${headSha}^{tree}`, treeSha]
  for await (const name of nulExchange(onObjects(area, ...args))) if (name.length > 0) changed++
  return changed
}

async function listCommits(area: StagingArea, headSha: string, maxCommits: number): Promise<string[]> {
  const listed = await runGit(onObjects(area, 'rev-list', `--max-count=${maxCommits}`, headSha))
  return listed.split('\n').filter((id) => id !== '')
}

/** Runs the work with a deadline, and gives errors of git, of the deadline and of an abort their words. */
async function explained<T>(
  top: string,
  outer: AbortSignal,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([outer, deadline])
  try {
    signal.throwIfAborted()
    return await work(signal)
  } catch (error) {
    if (outer.aborted) throw new RepositoryError('cancelled', 'Packing the working tree was cancelled.')
    if (deadline.aborted) {
      const seconds = Math.max(1, Math.round(timeoutMs / 1_000))
      throw new RepositoryError('timeout', `Packing the working tree took longer than ${seconds} s and was stopped.`)
    }
    throw explainGit(error, top)
  }
}
