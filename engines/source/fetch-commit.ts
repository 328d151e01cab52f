import { join } from 'node:path'
import type { SourceLimits } from './types.ts'
import { RepositoryError } from './types.ts'
import {
  type Clone,
  commitRefspec,
  discardClone,
  discardPart,
  fetchedCommit,
  fetchInto,
  gitDirOf,
  historyRefusal,
  isMade,
  keepClone,
  openClone,
  refuseHistory,
} from './clone.ts'
import { explainRemoteFailure, withDeadline } from './errors.ts'
import { bytesBelow } from './files.ts'
import { GitError } from './git.ts'
import { commitOf } from './local.ts'
import { findRemoteBase } from './remote-base.ts'
import { type BranchQuestion, isOnRemoteBranch } from './on-branch.ts'
import { type CommitRef, commitMissing } from './reference.ts'
import { findRemoteCommit, knownCommit, type Remote, type RemoteCommit } from './remote.ts'

/** A commit whose contents are on this machine. */
export interface OpenedCommit {
  gitDir: string
  commitSha: string
  branch: string | undefined
  /** Blobs over the size limit were left out. */
  filtered: boolean
  /** Where its history is, once that has come; a sentence where it cannot be had. */
  history: Promise<HistorySource>
  /** The commit whose history is counted; for a snapshot, the commit below it. */
  countedFrom: string
  /** Brings the contents of an earlier commit, and returns where they are. */
  earlier(commitSha: string, signal: AbortSignal): Promise<{ gitDir: string; objects: readonly string[] }>
  /** The last commit in common with a branch, a tag or a commit; undefined if there is none in the history that is read. */
  mergeBase(reference: string, signal: AbortSignal, top?: SnapshotOnTop): Promise<string | undefined>
  /** See `CommitSnapshot`. */
  defaultBranch(signal: AbortSignal): Promise<string | undefined>
  /** See `CommitSnapshot`. */
  isOnBranch(likely: readonly string[], signal: AbortSignal, how?: { isOnly?: boolean }): Promise<boolean>
  /** Stops what still goes on for it. A damaged clone is thrown away. */
  close(damaged: boolean): Promise<void>
}

const networkFailure = /unable to access|RPC failed|remote error|unadvertised object/

/** A snapshot that builds on the opened commit. */
export interface SnapshotOnTop {
  commitSha: string
  history: Promise<HistorySource>
}

export type HistorySource = { gitDir: string } | { unknown: string }

interface FetchOptions {
  directory: string
  ref: CommitRef
  limits: SourceLimits
  isKnown?: boolean
}

/** Brings a commit's contents into the clone, and begins to fetch its history. The directory must be locked. */
export async function fetchCommit(remote: Remote, options: FetchOptions, signal: AbortSignal): Promise<OpenedCommit> {
  const { directory, ref, limits } = options
  const target =
    options.isKnown === true && ref.commitSha !== undefined
      ? knownCommit(remote, ref.commitSha, ref.branch)
      : await findRemoteCommit(remote, ref, signal)
  const clone = await openClone(directory, target.remote.url, target.format, limits)
  const { commitSha, part } = await fetchContents(clone, target, options, signal).catch(async (error: unknown) => {
    await discardClone(directory)
    throw error instanceof GitError ? explainFetchFailure(error, clone, remote) : error
  })
  await keepClone(clone)
  const gitDir = gitDirOf(directory, part)
  const closed = new AbortController()
  const history =
    part === 'branches' ? Promise.resolve({ gitDir }) : fetchHistory(clone, target, commitSha, limits, closed.signal)
  const oneAtATime = createTurns()
  // The failure reaches callers that read the history. Without this it would be unhandled where none does.
  history.catch(() => undefined)
  return {
    gitDir,
    commitSha,
    branch: target.branch,
    filtered: true,
    history,
    countedFrom: commitSha,
    earlier: async (earlierSha, signal) => {
      await oneAtATime(() => fetchEarlier(clone, target.remote, earlierSha, limits, signal))
      return { gitDir: gitDirOf(directory, 'earlier'), objects: [join(gitDir, 'objects')] }
    },
    mergeBase: (reference, signal, top = { commitSha, history }) =>
      findRemoteBase({ clone, target, fetchedSha: commitSha, ...top, limits, signal }, reference).catch(
        (error: unknown) => {
          throw error instanceof GitError ? explainFetchFailure(error, clone, remote) : error
        },
      ),
    defaultBranch: async () => undefined,
    isOnBranch: async (likely, signal, how) =>
      (target.isTip && !how?.isOnly) || askBranches(clone, target.remote, { commitSha, likely, ...how }, signal),
    async close(damaged) {
      closed.abort()
      await history.catch(() => undefined)
      await (damaged ? discardClone(directory) : discardPart(directory, 'branches'))
    },
  }
}

interface FetchedContents {
  commitSha: string
  part: 'content' | 'branches'
}

async function fetchContents(
  clone: Clone,
  target: RemoteCommit,
  { ref, limits }: FetchOptions,
  signal: AbortSignal,
): Promise<FetchedContents> {
  if ((await fetchedCommit(clone, 'content', signal)) === target.commitSha) {
    return { commitSha: target.commitSha, part: 'content' }
  }
  // Git leaves out what has this size or more.
  const filter = `blob:limit=${limits.maxBlobBytes + 1}`
  const { remote, refspecSource } = target
  const fetchFrom = async (source: string) => {
    const request = { remote, refspecs: [commitRefspec(source)], depth: 1, filter, signal }
    const isFirst = !(await isMade(clone, 'content'))
    return fetchInto(clone, 'content', request).catch((error: unknown) => {
      // What was there from earlier may be damaged; it has been thrown away.
      if (isFirst || !(error instanceof GitError) || networkFailure.test(error.stderr)) throw error
      return fetchInto(clone, 'content', request)
    })
  }
  try {
    let commitSha = await fetchFrom(refspecSource)
    // The branch has moved on since it was looked up.
    if (ref.commitSha !== undefined && commitSha !== ref.commitSha && refspecSource !== ref.commitSha) {
      commitSha = await fetchFrom(ref.commitSha)
    }
    if (commitSha !== undefined && (ref.commitSha === undefined || commitSha === ref.commitSha)) {
      return { commitSha, part: 'content' }
    }
  } catch (error) {
    if (ref.commitSha === undefined || !(error instanceof GitError)) throw error
    if (/not our ref/.test(error.stderr)) throw commitMissing(ref.commitSha)
    if (!/unadvertised object|^(?=(.*?want ))\1.* not valid/m.test(error.stderr)) throw error
    return fetchFromBranches(clone, remote, ref.commitSha, { ref, limits, filter }, signal)
  }
  throw ref.commitSha === undefined
    ? new RepositoryError('branch_not_found', `${ref.branch ?? 'The default branch'} does not point to a commit.`)
    : commitMissing(ref.commitSha)
}

/** For servers that give out nothing but tips of branches: the commit may be in the recent history of one. */
async function fetchFromBranches(
  clone: Clone,
  remote: Remote,
  commitSha: string,
  { ref, limits, filter }: { ref: CommitRef; limits: SourceLimits; filter: string },
  signal: AbortSignal,
): Promise<FetchedContents> {
  const name = ref.branch ?? '*'
  const refspecs = [`+refs/heads/${name}:refs/assay/heads/${name}`]
  await fetchInto(clone, 'branches', { remote, refspecs, depth: limits.historyCommits + 1, filter, signal })
  const found = await commitOf(gitDirOf(clone.directory, 'branches'), commitSha, signal)
  if (found === commitSha) return { commitSha, part: 'branches' }
  throw new RepositoryError(
    'commit_not_found',
    `${remote.host} serves only branches, and the last ${limits.historyCommits} commits of ` +
      `${ref.branch ?? 'its branches'} do not include ${commitSha}. Analyze the branch instead.`,
  )
}

async function fetchHistory(
  clone: Clone,
  target: RemoteCommit,
  commitSha: string,
  limits: SourceLimits,
  signal: AbortSignal,
): Promise<HistorySource> {
  const gitDir = gitDirOf(clone.directory, 'history')
  const refused = await historyRefusal(clone)
  if (refused !== undefined) return { unknown: refused }
  if (limits.historyCommits === 0) return { unknown: 'reading the history is turned off.' }
  const { remote, refspecSource } = target
  try {
    if ((await fetchedCommit(clone, 'history', signal)) === commitSha) return { gitDir }
    // A server that cannot leave out the files sends all their versions.
    const maxBytes = Math.min(clone.maxBytes, (await bytesBelow(clone.directory)) + Math.floor(clone.maxBytes / 4))
    await withDeadline({ signal, milliseconds: limits.fetchTimeoutMs, what: 'Fetching the history' }, (deadline) =>
      fetchInto(clone, 'history', {
        remote,
        refspecs: [commitRefspec(refspecSource)],
        depth: limits.historyCommits + 1,
        filter: 'blob:none',
        maxBytes,
        signal: deadline,
      }),
    )
    return { gitDir }
  } catch (error) {
    const failure = error instanceof GitError ? explainFetchFailure(error, clone, remote) : error
    if (!(failure instanceof RepositoryError)) throw failure
    // It would come to the same the next time, and cost as much.
    if (failure.code === 'too_large') await refuseHistory(clone, failure.message)
    return { unknown: failure.message }
  }
}

async function fetchEarlier(
  clone: Clone,
  remote: Remote,
  commitSha: string,
  { maxBlobBytes }: SourceLimits,
  signal: AbortSignal,
): Promise<void> {
  await fetchedCommit(clone, 'earlier', signal)
  // Commits that were fetched before stay, with their files: an analysis may compare with more than one.
  const isThere =
    (await isMade(clone, 'earlier')) && (await commitOf(gitDirOf(clone.directory, 'earlier'), commitSha, signal))
  if (isThere === commitSha) return
  const filter = `blob:limit=${maxBlobBytes + 1}`
  await fetchInto(clone, 'earlier', { remote, refspecs: [commitRefspec(commitSha)], depth: 1, filter, signal }).catch(
    (error: unknown) => {
      throw error instanceof GitError ? explainFetchFailure(error, clone, remote) : error
    },
  )
}

/** Two fetches into one part would disturb each other. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

function askBranches(clone: Clone, remote: Remote, question: BranchQuestion, signal: AbortSignal): Promise<boolean> {
  return isOnRemoteBranch(clone, remote, question, signal).catch((error: unknown) => {
    throw error instanceof GitError ? explainFetchFailure(error, clone, remote) : error
  })
}

/** Hides the path of the clone as well, since the message is shown to users. */
const explainFetchFailure = (error: GitError, clone: Clone, remote: Remote) =>
  explainRemoteFailure(error, remote.host, [...remote.secrets, clone.directory])
