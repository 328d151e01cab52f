import type { ParsePool } from '../parsing/pool.ts'
import type { FileFacts, UnparsedReason } from '../parsing/types.ts'
import type { SymbolDescription } from '../parsing/description/types.ts'
import type { CarriedFile } from '../coverage/carry-over.ts'
import type { PlanSettings } from '../test-plan/plan.ts'
import { defaultSourceLimits, type Snapshot, type SourceLimits } from '../source/types.ts'
import type { FileStrength } from './ranking/strength.ts'
import type { AnalysisResult, AnalysisScope, FirstAnswer, RankingCoverage } from './schema.ts'

/** Raise it whenever facts, descriptions or language detection change: cached ones of other versions are not used. */
export const analyzerVersion = 11

/** Descriptions of symbols of one file, by `descriptionKey`. Null where there is nothing to read. */
export type FileDescriptions = Readonly<Record<string, SymbolDescription | null>>

/** The facts of a file besides its path, cached under blob id and base name. */
export interface FileRecord {
  language: string
  size: number
  /** Content says that the file is generated (linguist's rules). */
  generated?: boolean
  facts?: FileFacts
  /** Why there are no facts although the language has a parser. */
  unparsed?: UnparsedReason
  /** Analyses in which parsing took too long. */
  timeouts?: number
  /** Those of its symbols that were among the best candidates. */
  descriptions?: FileDescriptions
}

/** What was measured of a file, and where, if that is not known of all files alike. */
export interface KnownFile extends CarriedFile {
  from?: { commitSha: string; behind: number }
  /** Whether the coverage of a whole run does not list the file: no test loaded it, or settings leave it out. */
  isUnlisted?: true
}

/** Coverage that was measured, under the line numbers of the analyzed commit. */
export interface KnownCoverage extends Pick<RankingCoverage, 'earlier'> {
  /** Where it was measured last. */
  commitSha: string
  /** Commits since. */
  behind: number
  files: ReadonlyMap<string, KnownFile>
  /** Measured files that have changed since. */
  changedFiles: number
  /** Measured files that the commit does not have. */
  goneFiles: number
}

export interface AnalysisLimits extends SourceLimits {
  /** Milliseconds for analyzing the commit. */
  analysisTimeoutMs: number
  /** Milliseconds for parsing one file. */
  parseTimeoutMs: number
  /** Candidates kept in the result. */
  maxCandidates: number
  /** Of these the best, which are read a second time for their cases and briefs. */
  maxDetailed: number
}

export const defaultLimits: AnalysisLimits = {
  ...defaultSourceLimits,
  analysisTimeoutMs: 120_000,
  parseTimeoutMs: 1_000,
  maxCandidates: 1_000,
  maxDetailed: 100,
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
  /** Called once, before most files are read. */
  onFirstAnswer?: ((answer: FirstAnswer) => void) | undefined
  /** Returns measured coverage if there is any. Called while the files are being read. */
  findCoverage?: (signal: AbortSignal) => Promise<KnownCoverage | undefined>
  /** What measurements of strength found. It counts for files that have not changed since. */
  strength?: readonly FileStrength[]
  /** Limits the candidates, before the best of them are chosen. */
  scope?: AnalysisScope
  /** Facts of earlier analyses; see `cache.ts`. */
  cache?: FactCache
  /** The commit was analyzed before: files that took too long to parse then are not tried again. */
  isKnown?: boolean
  /** Name for a repository whose manifests state none. */
  repositoryName?: string
  /** What the owner set about running the tests. */
  planSettings?: PlanSettings
  /** Processes that parse, started ahead or kept between analyses. The caller closes them, also after an abort. */
  pool?: ParsePool
}

/** Facts of earlier analyses of the same repository, keyed by `cacheKey(blobId, path)`. */
export interface FactCache {
  load(): Promise<ReadonlyMap<string, FileRecord>>
  /** Replaces the stored records by those of this analysis. */
  save(records: ReadonlyMap<string, FileRecord>): Promise<void>
}

export type Analyze = (snapshot: Snapshot, options: AnalyzeOptions) => Promise<AnalysisResult>
