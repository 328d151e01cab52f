import type { AnalysisWarning } from './schema.ts'

/** A tracked path as git lists it, before anything has looked inside. */
export interface TreeEntry {
  path: string
  /** Git object id; facts are cached under it. For uncommitted content the id that git would give it. */
  blobId: string
  /** Git's octal mode: 100644, 100755, 120000 (symlink), 160000 (submodule). */
  mode: string
  /** Bytes; null where the content is not at hand (submodule, blob over the size limit). */
  size: number | null
}

/** A repository state that can be read: a commit in a bare clone, or a working tree. */
export interface Snapshot extends AsyncDisposable {
  commitSha: string
  branch: string | undefined
  entries: TreeEntry[]
  /**
   * Contents in the order of `entries` given; `content` is null where it is missing or over the size limit. Of what every
   * analysis reads `again`, the snapshot may return the same object each time.
   */
  read(
    entries: TreeEntry[],
    signal: AbortSignal,
    how?: { again: true },
  ): AsyncIterable<{ entry: TreeEntry; content: Buffer | null }>
  history(signal: AbortSignal): Promise<History>
  /**
   * Compares the state with the last commit that it has in common with a branch, a tag or a commit: what a merge of it
   * would bring.
   *
   * @throws RepositoryError with the code `reference_not_found`, naming the nearest names. See `namingField`.
   */
  changesOnTopOf(reference: string, signal: AbortSignal): Promise<ChangesOnTop>
  warnings: AnalysisWarning[]
}

/** Lines that one version of a file has in the place of lines of an earlier one. Lines count from 1. */
export interface Hunk {
  /** If `oldLines` is 0, the line after which new ones were inserted. */
  oldStart: number
  oldLines: number
  /** If `newLines` is 0, the line after which old ones were removed. */
  newStart: number
  newLines: number
}

/** How a file differs from that of an earlier commit. */
export interface FileChange {
  /** Its path in the earlier commit. */
  before: string
  /** In the order of the file. Empty if only the path or the mode changed. */
  hunks: readonly Hunk[]
}

/** What changed since an earlier commit. Every file that is not here is as it was, new, or gone. */
export interface Changes {
  /** Changed and renamed files, by their path now. */
  changed: ReadonlyMap<string, FileChange>
  /** Paths of the earlier commit that are not there any more. */
  gone: ReadonlySet<string>
  /** Paths that the earlier commit did not have, without renamed files. */
  added: ReadonlySet<string>
}

export interface ChangesOnTop {
  /** The last commit in common. */
  baseSha: string
  changes: Changes
}

/** How often each path changed, newest commits first, merges left out. */
export interface History {
  /** Commits read; 0 means that the history is not known, which is not the same as no change. */
  commits: number
  /** Path to the number of those commits that touched it. */
  changes: Map<string, number>
  /** Path to the number of its commits within 90 days of the newest commit. */
  recentChanges: Map<string, number>
}

/** How far fetching a commit has come. `filesDone` and `filesTotal` are 0 until the tree is known. */
export interface FetchProgress {
  phase: 'fetching'
  filesDone: number
  filesTotal: number
}

/** Limits for reading a repository. */
export interface SourceLimits {
  /** Files in the tree. */
  maxFiles: number
  /** Bytes of one blob that is still read. */
  maxBlobBytes: number
  /** Bytes of all blobs read. */
  maxTotalBytes: number
  /** Bytes that the clone may take on disk. */
  maxCloneBytes: number
  /** Milliseconds for fetching the commit. */
  fetchTimeoutMs: number
  /** Commits of history that churn is counted over; 0 skips the history. */
  historyCommits: number
}

export const defaultSourceLimits: SourceLimits = {
  maxFiles: 200_000,
  maxBlobBytes: 1_048_576,
  maxTotalBytes: 512 * 1_048_576,
  maxCloneBytes: 2_048 * 1_048_576,
  fetchTimeoutMs: 120_000,
  historyCommits: 1_000,
}

/**
 * A reason why a repository cannot be read or analyzed that its owner can understand and act on: missing branch, empty
 * repository, limit exceeded. Anything else that is thrown is a defect of ours.
 */
export class RepositoryError extends Error {
  override name = 'RepositoryError'
  readonly code: RepositoryErrorCode
  constructor(code: RepositoryErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export type RepositoryErrorCode =
  | 'url_refused'
  | 'unreachable'
  | 'not_found'
  | 'authentication_required'
  | 'empty_repository'
  | 'branch_not_found'
  | 'commit_not_found'
  | 'reference_not_found'
  | 'scope_not_found'
  | 'too_large'
  | 'timeout'
  | 'cancelled'
  | 'not_a_repository'
  | 'working_tree_refused'
  | 'invalid_pack'
  | 'incomplete_pack'
