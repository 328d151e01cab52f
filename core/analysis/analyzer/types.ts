import type { AnalysisResult, AnalysisWarning, SymbolKind } from '../schema.ts'
import type { ParsePool } from './parsing/pool.ts'

/** Raise it whenever facts or language detection change: cached facts of other versions are not used. */
export const analyzerVersion = 1

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
  /** Contents in the order of `entries` given; `content` is null where it is missing or over the size limit. */
  read(entries: TreeEntry[], signal: AbortSignal): AsyncIterable<{ entry: TreeEntry; content: Buffer | null }>
  history(signal: AbortSignal): Promise<History>
  warnings: AnalysisWarning[]
}

/** How often each path changed, newest commits first, merges left out. */
export interface History {
  /** Commits read; 0 means that the history is not known, which is not the same as no change. */
  commits: number
  /** Path to the number of those commits that touched it. */
  changes: Map<string, number>
  /** Path to the number of those that are younger than 90 days, counted from the newest commit. */
  recentChanges: Map<string, number>
}

/** What one file declares and refers to; everything that ranking needs, and nothing that depends on its path. */
export interface FileFacts {
  symbols: SymbolFact[]
  imports: ImportFact[]
  /** Names that other files can import from this one; `default` for a default export. */
  exports: ExportFact[]
  /** Java package, C# or PHP namespace, Go package clause, Ruby or Rust module where the file states one. */
  namespace?: string
  /** Distinct identifiers that the file calls, constructs or extends, at most 2,000. */
  references: string[]
  /** The file holds tests inline (Rust `#[cfg(test)]`, Python doctests are not counted). */
  inlineTests?: boolean
  /** The parser found syntax errors; facts cover what it could read. */
  syntaxErrors?: boolean
}

export interface SymbolFact {
  /** Qualified inside the file: `Class.method`, `outer`. */
  name: string
  kind: SymbolKind
  startLine: number
  endLine: number
  complexity: number
  exported: boolean
  /** Statements in the body, nested functions included; 0 for declarations without code. */
  statements: number
  /** True inside inline test code. */
  test?: boolean
  /**
   * Positions in the file's `references` of the names that its own body uses; symbols inside it list their own. Left
   * out where the parser does not tell, or there are none.
   */
  references?: number[]
}

export interface ImportFact {
  /** As written: `./a`, `react`, `os.path`, `github.com/x/y`, `crate::a::b`, `App\Models\User`. */
  specifier: string
  /** Imported names; `*` for the whole module, `default` for its default export. Empty for a bare import. */
  names: string[]
  typeOnly?: boolean
  /** Names are passed on to importers of this file (`export … from`, `pub use`). */
  reexport?: boolean
}

export interface ExportFact {
  name: string
  /** Name inside this file or inside `from`, where it differs. */
  local?: string
  /** Set on re-exports: the specifier that the name comes from. `name` is `*` for `export * from`. */
  from?: string
}

/** What is known of a file besides its path; cached under blob id and base name. */
export interface FileRecord {
  language: string
  size: number
  /** Content says that the file is generated (linguist's rules). */
  generated?: boolean
  facts?: FileFacts
  /** Why there are no facts although the language has a parser. */
  unparsed?: 'too_large' | 'timeout' | 'crash' | 'error'
}

/** Line coverage of one file from a report: line number to hit count. */
export type LineCoverage = ReadonlyMap<number, number>

export interface AnalysisLimits {
  /** Files in the tree. */
  maxFiles: number
  /** Bytes of one blob that is still read. */
  maxBlobBytes: number
  /** Bytes of all blobs read. */
  maxTotalBytes: number
  /** Bytes that the clone may take on disk. */
  maxCloneBytes: number
  /** Milliseconds for getting the commit. */
  fetchTimeoutMs: number
  /** Milliseconds for analysing it. */
  analysisTimeoutMs: number
  /** Milliseconds for parsing one file. */
  parseTimeoutMs: number
  /** Commits of history that churn is counted over; 0 where nobody needs it. */
  historyCommits: number
  /** Candidates kept in the result. */
  maxCandidates: number
}

export const defaultLimits: AnalysisLimits = {
  maxFiles: 200_000,
  maxBlobBytes: 1_048_576,
  maxTotalBytes: 512 * 1_048_576,
  maxCloneBytes: 2_048 * 1_048_576,
  fetchTimeoutMs: 120_000,
  analysisTimeoutMs: 120_000,
  parseTimeoutMs: 1_000,
  historyCommits: 1_000,
  maxCandidates: 1_000,
}

export interface Progress {
  phase: 'fetching' | 'reading' | 'parsing' | 'ranking'
  filesDone: number
  filesTotal: number
}

export interface AnalyzeOptions {
  limits?: Partial<AnalysisLimits>
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
  /** Measured coverage by path, where a report is known. */
  coverage?: ReadonlyMap<string, LineCoverage>
  /** Facts of earlier analyses; see `cache.ts`. */
  cache?: FactCache
  /** Name for a repository whose manifests state none. */
  repositoryName?: string
  /** Processes that parse, started ahead or kept between analyses. Whoever made them closes them, after an abort too. */
  pool?: ParsePool
}

/** Facts of earlier analyses of the same repository, keyed by `cacheKey(blobId, path)`. */
export interface FactCache {
  load(): Promise<ReadonlyMap<string, FileRecord>>
  /** Replaces what is stored by the records of this analysis. */
  save(records: ReadonlyMap<string, FileRecord>): Promise<void>
}

export type Analyze = (snapshot: Snapshot, options: AnalyzeOptions) => Promise<AnalysisResult>

/**
 * A reason why a repository cannot be analysed that its owner can understand and act on: missing branch, empty
 * repository, limit exceeded. Anything else that is thrown is a defect of ours.
 */
export class AnalysisError extends Error {
  override name = 'AnalysisError'
  readonly code: AnalysisErrorCode
  constructor(code: AnalysisErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export type AnalysisErrorCode =
  | 'url_refused'
  | 'unreachable'
  | 'not_found'
  | 'authentication_required'
  | 'empty_repository'
  | 'branch_not_found'
  | 'commit_not_found'
  | 'too_large'
  | 'timeout'
  | 'cancelled'
  | 'not_a_repository'
