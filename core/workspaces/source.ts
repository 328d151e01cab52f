import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { CommitSnapshot } from '../../engines/source/commit.ts'
import {
  type Changes,
  type ChangesOnTop,
  defaultSourceLimits,
  RepositoryError,
  type TreeEntry,
} from '../../engines/source/types.ts'
import { cacheDirectory } from './cache-directory.ts'
import type { SnapshotSource } from '../../engines/source/snapshot.ts'
import { withProjectCommit } from './project-commit.ts'
import type { Context } from '../base/context.ts'
import { redactLine } from '../base/log.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { SourceTree } from '../../engines/test-plan/plan.ts'
import { RunFailure } from './run-failure.ts'

/** A snapshot, for work on it. The domain `snapshots` finds it. */
export interface StoredSnapshot {
  source: SnapshotSource
  /** Why it must not see the project's environment; null if it may. */
  whyUntrusted: string | null
  /** The user who sent it. */
  senderId: string
}

/** The state of a project to open: a snapshot, or else a commit, or else the latest commit of a branch. */
export interface SourceRef {
  branch: string | null
  commitSha: string | null
  snapshot?: StoredSnapshot | undefined
  /** How far back the history is read; 0 by default. */
  historyCommits?: number
  /** See `OpenCommitOptions.comparedWith`. */
  comparedWith?: string
}

/** The files of a commit, available while `work` runs. */
export interface OpenedSource {
  commitSha: string
  /** Null for a snapshot. */
  branch: string | null
  tree: SourceTree
  /** The files as git lists them. */
  entries: readonly TreeEntry[]
  /** Reads the contents of entries and the targets of links, in their order; null where missing or larger than 1 MiB. */
  readEntries(entries: readonly TreeEntry[]): Promise<(Buffer | null)[]>
  /** Reads a regular file. `text` is null if it is larger. Returns null for other paths. */
  readUpTo(path: string, maxBytes: number): Promise<{ text: string | null } | null>
  /** Reads regular files of up to 1 MiB, up to 64 MiB in total, faster than one by one. */
  readMany(paths: readonly string[]): AsyncIterable<{ path: string; code: string }>
  /** Identifies the content of a regular file; undefined for other paths. Also works after `work` has ended. */
  contentId(path: string): string | undefined
  /** Identifies the names and contents of all files. Also works after `work` has ended. */
  treeId(): string
  /** See `CommitSnapshot.treeSha`. */
  treeSha(): Promise<string | undefined>
  /** Whether the commit has submodules, which are not fetched. */
  hasSubmodules: boolean
  checkOut(directory: string): Promise<void>
  /** See `CommitSnapshot.changesOnTopOf`. Requires `historyCommits`. */
  changesOnTopOf(reference: string): Promise<ChangesOnTop>
  /** See `CommitSnapshot.changesSince`. */
  changesSince(commitSha: string): Promise<Changes>
  /** See `CommitSnapshot.defaultBranch`. */
  defaultBranch(): Promise<string | undefined>
  /** Returns a warning if the commit may come from a fork, or the snapshot from a member; null if it is trusted. */
  whyUntrusted(): Promise<string | null>
  /** Whether the commit is on the branch of the project, in its recent history. False for snapshots. */
  isOnProjectBranch(): Promise<boolean>
}

/** Rejects a commit that is too large on disk: a small repository can contain the same large file many times. */
function requireRoom({ config }: Pick<Context, 'config'>, entries: readonly TreeEntry[]): void {
  const bytes = entries.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (bytes <= config.runs.diskBytes) return
  const [size, limit] = [bytes, config.runs.diskBytes].map((value) => Math.round(value / 2 ** 20).toLocaleString('en'))
  throw new RunFailure(
    'too_large',
    `The files of the commit need ${size} MiB of disk space. A run may use up to ${limit} MiB.`,
  )
}

const maxManifestBytes = 2 ** 20
const maxManyBytes = 64 * 2 ** 20
const submodule = '160000'
const regularFile = /^100/
const withContent = /^(?:100|120)/

/** The limits for the clone that runs, verifications and snapshots of a project share. */
export const sourceLimits = {
  ...defaultSourceLimits,
  // Unlike an analysis, tests may need every file.
  maxBlobBytes: 512 * 2 ** 20,
  maxTotalBytes: Number.MAX_SAFE_INTEGER,
  maxCloneBytes: 4 * 2 ** 30,
  historyCommits: 0,
}

/**
 * Fetches a commit and calls `work`. The project's clone is locked meanwhile.
 *
 * @throws RunFailure if the commit cannot be fetched
 */
export async function withSource<T>(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  ref: SourceRef,
  work: (source: OpenedSource) => Promise<T>,
): Promise<T> {
  const wanted = {
    directory: join(cacheDirectory(ctx.config, project.id), 'source'),
    ref: { branch: ref.branch ?? undefined, commitSha: ref.commitSha ?? undefined },
    limits: { ...sourceLimits, historyCommits: ref.historyCommits ?? sourceLimits.historyCommits },
    comparedWith: ref.comparedWith,
    ...(ref.snapshot && { snapshot: ref.snapshot.source }),
  }
  try {
    return await withProjectCommit(ctx, project, wanted, (commit) => work(openedSource(ctx, project, ref, commit)))
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    throw new RunFailure(error.code, error.message)
  }
}

function openedSource(
  ctx: Context,
  project: Pick<ProjectRow, 'branch'>,
  { branch, commitSha: namedCommit, snapshot }: SourceRef,
  commit: CommitSnapshot,
): OpenedSource {
  const { commitSha, entries } = commit
  requireRoom(ctx, entries)
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  let treeId: string | undefined
  const read = async (entry: TreeEntry): Promise<string | null> => {
    for await (const { content } of commit.read([entry], ctx.signal)) return content?.toString('utf8') ?? null
    return null
  }
  return {
    commitSha,
    branch: snapshot ? null : (branch ?? commit.branch ?? null),
    hasSubmodules: entries.some(({ mode }) => mode === submodule),
    tree: {
      paths: entries.filter(({ mode }) => mode !== submodule).map(({ path }) => path),
      read: async (path) => {
        const entry = byPath.get(path)
        if (!entry || !regularFile.test(entry.mode) || (entry.size ?? Infinity) > maxManifestBytes) return null
        return read(entry)
      },
    },
    entries,
    readEntries: async (wanted) => {
      const contents = new Map<TreeEntry, Buffer | null>()
      const small = wanted.filter(({ mode, size }) => withContent.test(mode) && (size ?? Infinity) <= maxManifestBytes)
      for await (const { entry, content } of commit.read(small, ctx.signal)) contents.set(entry, content)
      return wanted.map((entry) => contents.get(entry) ?? null)
    },
    readUpTo: async (path, maxBytes) => {
      const entry = byPath.get(path)
      if (!entry || !regularFile.test(entry.mode)) return null
      return { text: (entry.size ?? Infinity) > maxBytes ? null : await read(entry) }
    },
    readMany: async function* (paths) {
      let bytes = 0
      const wanted = paths.flatMap((path) => {
        const entry = byPath.get(path)
        if (!entry || !regularFile.test(entry.mode) || (entry.size ?? Infinity) > maxManifestBytes) return []
        bytes += entry.size ?? 0
        return bytes > maxManyBytes ? [] : entry
      })
      for await (const { entry, content } of commit.read(wanted, ctx.signal)) {
        if (content !== null) yield { path: entry.path, code: content.toString('utf8') }
      }
    },
    contentId: (path) => {
      const entry = byPath.get(path)
      return entry && regularFile.test(entry.mode) ? entry.blobId : undefined
    },
    treeId: () => (treeId ??= treeIdOf(entries)),
    treeSha: () => commit.treeSha(ctx.signal),
    changesOnTopOf: (reference) => commit.changesOnTopOf(reference, ctx.signal),
    changesSince: (commitSha) => commit.changesSince(commitSha, ctx.signal),
    defaultBranch: () => commit.defaultBranch(ctx.signal),
    checkOut: (directory) => commit.checkOut(directory, ctx.signal),
    whyUntrusted: async () =>
      snapshot ? snapshot.whyUntrusted : whyUntrusted(ctx, commit, [branch ?? project.branch, project.branch]),
    isOnProjectBranch: async () => {
      if (snapshot) return false
      // A commit of the caller need not be on the branch that the caller names.
      if (namedCommit === null && (branch ?? commit.branch) === project.branch) return true
      return isOnBranch(ctx, commit, project.branch)
    },
  }
}

function treeIdOf(entries: readonly TreeEntry[]): string {
  const hash = createHash('sha256')
  for (const { path, mode, blobId } of entries) hash.update(JSON.stringify([path, mode, blobId]))
  return hash.digest('hex')
}

/** Whether a branch leads to the commit. False if that cannot be found out. */
async function isOnBranch(ctx: Context, commit: Pick<CommitSnapshot, 'isOnBranch'>, branch: string): Promise<boolean> {
  try {
    return await commit.isOnBranch([branch], ctx.signal, { isOnly: true })
  } catch (error) {
    if (ctx.signal.aborted) throw error
    ctx.log.warn({ err: error }, 'could not check whether the branch of the project contains a commit')
    return false
  }
}

/** Callers can name any commit that the code host serves, and code hosts also serve the commits of forks. */
async function whyUntrusted(
  ctx: Context,
  snapshot: Pick<CommitSnapshot, 'isOnBranch'>,
  likelyBranches: readonly string[],
): Promise<string | null> {
  try {
    if (await snapshot.isOnBranch(likelyBranches, ctx.signal)) return null
    return "No branch or tag of the repository contains the commit, so the tests ran without the project's environment."
  } catch (error) {
    if (ctx.signal.aborted) throw error
    ctx.log.warn({ err: error }, 'could not check whether a branch contains a commit')
    const reason = error instanceof RepositoryError ? redactLine(error.message) : 'The log of the server says why.'
    return `Assay could not check whether a branch or tag contains the commit, so the tests ran without the project's environment. ${reason}`
  }
}
