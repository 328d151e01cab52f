import type { AnalysisWarning } from './schema.ts'
import {
  type Changes,
  type ChangesOnTop,
  type FetchProgress,
  RepositoryError,
  type Snapshot,
  type SourceLimits,
  type TreeEntry,
} from './types.ts'
import { noCommonCommit } from './base-reference.ts'
import { type Ancestor, listChangedFiles, listChanges, nearestAncestors } from './changes.ts'
import { checkOut } from './checkout.ts'
import { contentBudget, readBlobs } from './blobs.ts'
import { discardClone, discardPart, gitDirOf } from './clone.ts'
import { cancelled, withDeadline } from './errors.ts'
import { fetchCommit, type OpenedCommit } from './fetch-commit.ts'
import { removeIfEmpty } from './files.ts'
import { GitError } from './git.ts'
import { type HistoryRequest, historyWithin, unknownHistory, warnUnknown } from './history.ts'
import { borrowObjects, defaultBranchOf, localMergeBase, openLocal, resolveLocalRef } from './local.ts'
import type { KeptContents } from './kept-contents.ts'
import { lockDirectory } from './lock.ts'
import { ObjectReader } from './object-reader.ts'
import { readCommits, readShallow } from './parents.ts'
import { isOnLocalBranch } from './on-branch.ts'
import type { CommitRef } from './reference.ts'
import { checkedLocation, reachRemote, type RepositorySource } from './remote.ts'
import type { SnapshotSource } from './snapshot.ts'
import { baseRef, openSnapshot } from './open-snapshot.ts'
import { listTree } from './tree.ts'
import { warningWriter } from './warnings.ts'

export interface OpenCommitOptions extends RepositorySource {
  /** Where the clone is kept between analyses of a project. One analysis uses it at a time; others wait. */
  directory: string
  ref: CommitRef
  limits: SourceLimits
  /** The commit was analyzed before: its server is asked only for what is not kept. */
  isKnown?: boolean
  /** `changesOnTopOf` with this reference begins while the files are being listed. */
  comparedWith?: string | undefined
  /** Lists those of these files that there are, and no others. */
  paths?: readonly string[]
  /** Opens this snapshot instead of the commit of `ref`. */
  snapshot?: SnapshotSource
  /** Contents that earlier analyses of the same project read, and those that this one reads for the next. */
  contents?: KeptContents
  signal: AbortSignal
  onProgress?: (progress: FetchProgress) => void
  /** Called before git lists the files, which leaves time for other work. */
  onListing?: () => void
}

/** A commit's files, which can also be written down as files. */
export interface CommitSnapshot extends Snapshot {
  /** A bare repository with the commit's contents, which other repositories may borrow while it is open. */
  gitDir: string
  /**
   * Whether a branch or tag leads to the commit, as one leads to every commit of the repository's own. Of a server only
   * the recent history is asked for, of the `likely` branches first; with `isOnly`, of no others.
   */
  isOnBranch(likely: readonly string[], signal: AbortSignal, how?: { isOnly?: boolean }): Promise<boolean>
  /** Returns the default branch of a repository on this machine. Undefined for others, and if there is none. */
  defaultBranch(signal: AbortSignal): Promise<string | undefined>
  /**
   * Finds those of the commits that come last before this one, and this one if it is one of them, within the history that
   * is read; the nearest first, and only a few. Finds none before this one if the history cannot be had.
   */
  nearestOf(commits: ReadonlySet<string>, signal: AbortSignal): AsyncIterable<Ancestor>
  /**
   * Compares an earlier commit with this one.
   *
   * @throws RepositoryError if the earlier commit cannot be fetched or compared
   */
  changesSince(commitSha: string, signal: AbortSignal): Promise<Changes>
  /** The git object that holds the commit's files; the same for every commit with the same files. */
  treeSha(signal: AbortSignal): Promise<string | undefined>
  /** Makes the folder, with the commit's files and a git repository of this one commit. */
  checkOut(directory: string, signal: AbortSignal): Promise<void>
}

/**
 * Gets a commit and lists it. The history, which is needed last, is fetched while the contents are already being read.
 * Dispose of the snapshot to let others use the directory; it keeps the clone, so that the next fetch is short.
 */
export async function openCommit(options: OpenCommitOptions): Promise<CommitSnapshot> {
  const { limits, directory } = options
  const { snapshot } = options
  const ref = snapshot ? baseRef(snapshot) : options.ref
  const location = checkedLocation(options, ref)
  options.onProgress?.({ phase: 'fetching', filesDone: 0, filesTotal: 0 })
  await using stack = new AsyncDisposableStack()
  const milliseconds = limits.fetchTimeoutMs
  const within = <T>(what: string, work: (signal: AbortSignal) => Promise<T>) =>
    withDeadline({ signal: options.signal, milliseconds, what }, work)

  stack.defer(() => removeIfEmpty(directory))
  stack.use(await within('Waiting for another analysis of this project', (signal) => lockDirectory(directory, signal)))
  // Awaited here, before the stack is disposed of.
  return await within('Fetching the commit', async (signal) => {
    const warnings: AnalysisWarning[] = []
    const openOwn = async () =>
      location.kind === 'local'
        ? openLocalCommit(location.path, { directory, ref }, signal)
        : fetchCommit(await reachRemote(location, options, signal), { ...options, ref }, signal)
    const opened = snapshot ? await openSnapshot(snapshot, directory, openOwn, signal) : await openOwn()
    // What was fetched and is not there any more must not be met again.
    stack.defer(() => opened.close(warnings.some(({ code }) => code === 'missing_content')))
    const { gitDir, commitSha, filtered } = opened
    const early = options.comparedWith === undefined ? undefined : compareEarly(opened, options.comparedWith, options)
    if (early) stack.defer(() => early.stop())
    const objects = stack.use(new ObjectReader(gitDir))
    options.onListing?.()
    const entries = await listTree({ gitDir, commitSha, limits, signal, filtered, warnings, paths: options.paths })
    options.onProgress?.({ phase: 'fetching', filesDone: entries.length, filesTotal: entries.length })
    return snapshotOf(opened, { entries, warnings, limits, early, objects, contents: options.contents }, stack.move())
  })
}

async function openLocalCommit(
  path: string,
  { directory, ref }: Pick<OpenCommitOptions, 'directory' | 'ref'>,
  signal: AbortSignal,
): Promise<OpenedCommit> {
  const repository = await openLocal(path, signal)
  const { commitSha, branch } = await resolveLocalRef(repository, ref, signal)
  const gitDir = gitDirOf(directory, 'local')
  await discardClone(directory)
  await borrowObjects(repository, gitDir)
  return {
    gitDir,
    commitSha,
    branch,
    filtered: false,
    history: Promise.resolve({ gitDir }),
    countedFrom: commitSha,
    earlier: async () => ({ gitDir, objects: [] }),
    mergeBase: async (reference, signal, top) => {
      const history = await top?.history
      const historyDir = history && 'gitDir' in history ? history.gitDir : undefined
      return localMergeBase(repository, top?.commitSha ?? commitSha, reference, signal, historyDir)
    },
    defaultBranch: (signal) => defaultBranchOf(repository, signal),
    isOnBranch: (likely, signal, how) => isOnLocalBranch(repository, { commitSha, likely, ...how }, signal),
    close: () => discardPart(directory, 'local'),
  }
}

interface EarlyComparison {
  reference: string
  changes: Promise<ChangesOnTop>
  /** Resolves when nothing works in the clone any more. */
  stop: () => Promise<void>
}

function compareEarly(
  opened: OpenedCommit,
  reference: string,
  { limits, signal }: Pick<OpenCommitOptions, 'limits' | 'signal'>,
): EarlyComparison {
  const stopped = new AbortController()
  const changes = changesOnTopOf(opened, reference, { limits, signal: AbortSignal.any([signal, stopped.signal]) })
  const ended = changes.then(
    () => undefined,
    () => undefined,
  )
  return {
    reference,
    changes,
    stop: () => {
      stopped.abort(cancelled())
      return ended
    },
  }
}

const comparing = <T>(
  { limits, signal }: Pick<OpenCommitOptions, 'limits' | 'signal'>,
  work: (deadline: AbortSignal) => Promise<T>,
) =>
  withDeadline({ signal, milliseconds: limits.fetchTimeoutMs, what: 'Comparing the commit with an earlier one' }, work)

const changesOnTopOf = (
  opened: OpenedCommit,
  reference: string,
  bounds: Pick<OpenCommitOptions, 'limits' | 'signal'>,
): Promise<ChangesOnTop> =>
  comparing(bounds, async (deadline) => {
    const baseSha = await opened.mergeBase(reference, deadline)
    if (baseSha === undefined) throw noCommonCommit(reference, await extentOf(opened, bounds.limits, deadline))
    const repository = { ...(await opened.earlier(baseSha, deadline)), signal: deadline }
    return { baseSha, changes: await compareAll(repository, baseSha, opened.commitSha) }
  })

interface Listed {
  entries: TreeEntry[]
  warnings: AnalysisWarning[]
  limits: SourceLimits
  early: EarlyComparison | undefined
  objects: ObjectReader
  contents: KeptContents | undefined
}

function snapshotOf(
  opened: OpenedCommit,
  { entries, warnings, limits, early, objects, contents }: Listed,
  stack: AsyncDisposableStack,
): CommitSnapshot {
  const { gitDir, commitSha, branch } = opened
  const { maxBlobBytes } = limits
  const source = { objects, maxBlobBytes, warnings, admit: contentBudget(limits, warningWriter(warnings)) }
  return {
    gitDir,
    commitSha,
    branch,
    entries,
    warnings,
    read: (wanted, signal, how) => readBlobs(source, wanted, signal, how?.again && contents),
    defaultBranch: (signal) => opened.defaultBranch(signal),
    isOnBranch: (likely, signal, how) =>
      withDeadline(
        { signal, milliseconds: limits.fetchTimeoutMs, what: 'Looking for the commit on the branches' },
        (deadline) => opened.isOnBranch(likely, deadline, how),
      ),
    async *nearestOf(commits, signal) {
      const isOwn = commits.has(commitSha)
      // Needs no history, and the caller may need no other commit.
      if (isOwn) yield { commitSha, behind: 0 }
      const source = await unlessAborted(signal, opened.history)
      if ('unknown' in source) return
      const { historyCommits } = limits
      const repository = { gitDir: source.gitDir, signal }
      const found = await nearestAncestors(repository, commitSha, commits, historyCommits).catch(noneIfDamaged)
      yield* isOwn ? found.slice(1) : found
    },
    changesSince: (earlierSha, signal) =>
      comparing({ limits, signal }, async (deadline) =>
        compare({ ...(await opened.earlier(earlierSha, deadline)), signal: deadline }, earlierSha, commitSha),
      ),
    changesOnTopOf: (reference, signal) =>
      early?.reference === reference ? early.changes : changesOnTopOf(opened, reference, { limits, signal }),
    treeSha: async (signal) => (await readCommits({ gitDir, signal }, [commitSha])).get(commitSha)?.tree,
    checkOut: (directory, signal) => checkOut(opened, directory, signal),
    async history(signal) {
      const paths = new Set(entries.map((entry) => entry.path))
      const { countedFrom } = opened
      const commits = limits.historyCommits
      const history = await awaitHistory(opened, { commitSha: countedFrom, commits, paths, signal })
      if (!('unknown' in history)) return history
      warnUnknown(warnings, history.unknown)
      return unknownHistory()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Commits that a user sent may lead to objects that are no commits. */
function noneIfDamaged(error: unknown): Ancestor[] {
  if (error instanceof GitError) return []
  throw error
}

async function awaitHistory(opened: OpenedCommit, request: Omit<HistoryRequest, 'gitDir'>) {
  const source = await unlessAborted(request.signal, opened.history)
  return 'unknown' in source ? source : await historyWithin({ ...request, gitDir: source.gitDir })
}

/** Returns how many commits of the history were read; null for all of them. */
async function extentOf(opened: OpenedCommit, { historyCommits }: SourceLimits, signal: AbortSignal) {
  const source = await unlessAborted(signal, opened.history)
  if ('unknown' in source) return source
  return { commits: (await readShallow(source.gitDir)).length > 0 ? historyCommits : null }
}

/** Waits for the result, but not longer than the signal allows. */
async function unlessAborted<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(cancelled())
  signal.addEventListener('abort', onAbort)
  try {
    if (signal.aborted) throw cancelled()
    return await Promise.race([result, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Counts changed files as new ones where their earlier contents are missing, for example because they are too large. */
async function compareAll(...request: Parameters<typeof listChanges>): Promise<Changes> {
  try {
    return await listChanges(...request)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    return listChangedFiles(...request).catch(explainDamaged)
  }
}

const compare = (...request: Parameters<typeof listChanges>): Promise<Changes> =>
  listChanges(...request).catch(explainDamaged)

function explainDamaged(error: unknown): never {
  if (!(error instanceof GitError)) throw error
  throw new RepositoryError('commit_not_found', 'The files of the earlier commit are missing or damaged.')
}
