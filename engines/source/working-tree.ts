import type { BigIntStats } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import type { AnalysisWarning } from './schema.ts'
import type { SourceLimits } from './types.ts'
import { type Changes, RepositoryError, type Snapshot, type TreeEntry } from './types.ts'
import type { ObjectFormat } from './bare-repository.ts'
import { noCommonCommit } from './base-reference.ts'
import { type Admit, contentBudget, type ContentOf } from './blobs.ts'
import { withDeadline } from './errors.ts'
import { listWorkingChanges } from './changes.ts'
import { isThere } from './files.ts'
import { GitError } from './git.ts'
import { historyWithin, unknownHistory, warnUnknown } from './history.ts'
import { borrowObjects, commitOf, currentBranch, localMergeBase, type LocalRepository, openLocal } from './local.ts'
import { copyIndex } from './working-changes.ts'
import { pathText } from './path-text.ts'
import { warnTooLarge } from './tree.ts'
import { warningWriter } from './warnings.ts'
import {
  blobIdOf,
  fullPath,
  insideTree,
  isSameState,
  isUnchanged,
  modeOf,
  readWorkingFile,
  statOf,
  unreadId,
} from './working-files.ts'
import { type ListedFile, listWorkingFiles } from './working-list.ts'

interface WorkingTree {
  top: string
  repository: LocalRepository
  /** A bare repository of ours that borrows the objects, so that settings of the user's one start nothing. */
  gitDir: string
  limits: SourceLimits
  warnings: AnalysisWarning[]
  /** By path: what the file is called, which need not be valid text, and how it was when it was listed. */
  files: Map<string, { name: Buffer; stats: BigIntStats }>
  /** Paths that git neither tracks nor ignores. */
  untracked: Set<string>
}

// Files looked at before others get their turn: a few milliseconds.
const batchSize = 64

/** A working tree, which can also be compared with a commit of its history. */
export interface WorkingSnapshot extends Snapshot {
  /** @throws RepositoryError if the commit is missing */
  changesSince(commitSha: string, signal: AbortSignal): Promise<Changes>
}

/**
 * The files of a working tree as they are now: tracked ones with their uncommitted changes, and untracked ones that are
 * not ignored. Any folder of the tree selects the whole tree. `commitSha` is the commit of HEAD, also where
 * files differ from it, and all zeros before the first commit. Ids of unchanged files are those of the index; content
 * over the size limit that git does not know has an id of zeros.
 */
export async function openWorkingTree(
  path: string,
  { limits, signal: outer }: { limits: SourceLimits; signal: AbortSignal },
): Promise<WorkingSnapshot> {
  // By hand, since the published package also runs on a Node without AsyncDisposableStack.
  let folder: string | undefined
  const removeFolder = async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
  const bounds = { signal: outer, milliseconds: limits.fetchTimeoutMs, what: 'Listing the working tree' }
  const opening = withDeadline(bounds, async (signal): Promise<WorkingSnapshot> => {
    const top = await topOf(path)
    const repository = await openLocal(top, signal)
    folder = await mkdtemp(join(tmpdir(), 'assay-tree-'))
    const gitDir = join(folder, 'repository.git')
    await borrowObjects(repository, gitDir)
    const tree: WorkingTree = { top, repository, gitDir, limits, warnings: [], files: new Map(), untracked: new Set() }

    const [commitSha, branch, entries] = await Promise.all([
      commitOf(repository.gitDir, 'HEAD', signal),
      currentBranch(repository.gitDir, signal),
      listEntries(tree, signal),
    ])
    const admit = contentBudget(limits, warningWriter(tree.warnings))
    return {
      commitSha: commitSha ?? unreadId(repository.format),
      branch,
      entries,
      warnings: tree.warnings,
      read: (wanted, readSignal) => readEntries(tree, wanted, admit, readSignal),
      async history(historySignal) {
        const paths = new Set(entries.map((entry) => entry.path))
        const history =
          commitSha === undefined
            ? { unknown: 'there is no commit yet.' }
            : await historyWithin({ gitDir, commitSha, commits: limits.historyCommits, paths, signal: historySignal })
        if (!('unknown' in history)) return history
        warnUnknown(tree.warnings, history.unknown)
        return unknownHistory()
      },
      changesSince: (earlierSha, changesSignal) => changesSince(tree, earlierSha, changesSignal),
      changesOnTopOf: async (reference, changesSignal) => {
        if (commitSha === undefined) {
          throw new RepositoryError('reference_not_found', 'there is no commit yet to compare with.')
        }
        const baseSha = await localMergeBase(repository, commitSha, reference, changesSignal)
        if (baseSha === undefined) throw noCommonCommit(reference, { commits: null })
        return { baseSha, changes: await changesSince(tree, baseSha, changesSignal) }
      },
      [Symbol.asyncDispose]: removeFolder,
    }
  })
  try {
    return await opening
  } catch (error) {
    await removeFolder()
    throw error
  }
}

/** Compares a commit with the working tree, untracked files included. */
async function changesSince(tree: WorkingTree, baseSha: string, signal: AbortSignal): Promise<Changes> {
  const { top, repository, gitDir, limits, untracked } = tree
  const index = await copyIndex(repository, gitDir)
  if (index === undefined) return { changed: new Map(), gone: new Set(), added: untracked }
  const { maxBlobBytes } = limits
  const changes = await listWorkingChanges({ gitDir, signal, top, index, maxBlobBytes }, baseSha).catch(
    (error: unknown) => {
      if (!(error instanceof GitError)) throw error
      throw new RepositoryError('commit_not_found', 'git cannot compare the working tree with the earlier commit.')
    },
  )
  // A file that the index has lost is gone for git, and new for the tree.
  const gone = new Set([...changes.gone].filter((path) => !untracked.has(path)))
  return { ...changes, gone, added: new Set([...changes.added, ...untracked]) }
}

/** Returns the top of the working tree that a path is in. */
export async function topOf(path: string): Promise<string> {
  const start = await realpath(path).catch(() => undefined)
  for (let folder = start; folder !== undefined;) {
    if (await isThere(join(folder, '.git'))) return folder
    const parent = dirname(folder)
    folder = parent === folder ? undefined : parent
  }
  throw new RepositoryError(
    'not_a_repository',
    `${path} is not inside a git working tree. Give the path of a checked-out repository, or run git init there.`,
  )
}

async function listEntries(tree: WorkingTree, signal: AbortSignal): Promise<TreeEntry[]> {
  const { top, repository, limits } = tree
  const listed = await listWorkingFiles({ top, repository, gitDir: tree.gitDir, maxFiles: limits.maxFiles, signal })
  const isInside = insideTree(top)
  const indexWritten = statOf(join(repository.gitDir, 'index'))?.mtimeNs ?? 0n
  const warn = warningWriter(tree.warnings)
  const entries: TreeEntry[] = []
  for (const [index, file] of listed.entries()) {
    if (index % batchSize === 0) {
      await breathe()
      signal.throwIfAborted()
    }
    if (!isInside(file.name)) continue
    const path = fullPath(top, file.name)
    const stats = statOf(path)
    if (!stats) continue
    if (file.mode === '160000') {
      if (stats.isDirectory()) entries.push(entryOf(file, file.mode, file.blobId ?? unreadId(repository.format), null))
      continue
    }
    const mode = modeOf(stats)
    if (mode === undefined) continue
    const size = Number(stats.size)
    const clean = file.blobId !== undefined && isUnchanged(stats, file.indexed, indexWritten)
    const entry = entryOf(file, mode, clean ? (file.blobId ?? '') : unreadId(repository.format), size)
    if (size > limits.maxBlobBytes) {
      warnTooLarge(warn, limits.maxBlobBytes, entry.path)
    } else if (!clean) {
      const content = readWorkingFile(path, limits.maxBlobBytes)
      if (content === null) warn('missing_content', 'its content cannot be read', entry.path)
      Object.assign(entry, content ? changed(content, repository.format) : { size: null })
    }
    tree.files.set(entry.path, { name: file.name, stats })
    if (file.mode === undefined) tree.untracked.add(entry.path)
    entries.push(entry)
  }
  return entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

const changed = (content: Buffer, format: ObjectFormat) => ({
  blobId: blobIdOf(content, format),
  size: content.length,
})

const entryOf = (file: ListedFile, mode: string, blobId: string, size: number | null): TreeEntry => ({
  path: pathText(file.name),
  blobId,
  mode,
  size,
})

async function* readEntries(
  tree: WorkingTree,
  entries: readonly TreeEntry[],
  admit: Admit,
  signal: AbortSignal,
): AsyncGenerator<ContentOf> {
  const { limits, repository, files } = tree
  const warn = warningWriter(tree.warnings)
  const isInside = insideTree(tree.top)
  for (const [index, entry] of entries.entries()) {
    if (index % batchSize === 0) await breathe()
    signal.throwIfAborted()
    const file = files.get(entry.path)
    if (!file || !admit(entry)) {
      yield { entry, content: null }
      continue
    }
    const path = fullPath(tree.top, file.name)
    const stats = isInside(file.name) ? statOf(path) : undefined
    const content = stats ? readWorkingFile(path, limits.maxBlobBytes) : null
    if (content === null) warn('missing_content', 'its content cannot be read', entry.path)
    // The file may change while it is read, and caches must only keep content under its own id.
    if (content && stats && !isSameState(stats, file.stats)) Object.assign(entry, changed(content, repository.format))
    yield { entry, content }
  }
}
