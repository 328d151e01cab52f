import { fileURLToPath } from 'node:url'
import { runInChildProcess, UnansweredJob } from '../processes/child-jobs.ts'
import { forShortWork } from '../processes/child-processes.ts'
import type { MeasuredRow } from '../coverage/measured.ts'
import { cancelled } from '../source/errors.ts'
import type { CommitRef } from '../source/reference.ts'
import type { SnapshotSource } from '../source/snapshot.ts'
import type { RepositorySource } from '../source/remote.ts'
import { RepositoryError } from '../source/types.ts'
import type { PlanSettings } from '../test-plan/plan.ts'
import type { FileStrength } from './ranking/strength.ts'
import type { AnalysisScope, FirstAnswer, RankingCoverage } from './schema.ts'
import { type AnalysisLimits, defaultLimits, type Progress } from './types.ts'

export interface AnalysisJob extends RepositorySource {
  ref: CommitRef
  /** Kept between the analyses of a project: its clone and its facts. */
  directory: string
  limits?: Partial<AnalysisLimits>
  /** Commits with measured coverage. */
  measuredCommits?: readonly string[]
  /** What measurements of strength found. */
  strength?: readonly FileStrength[]
  /** What the owner set about running the tests. */
  planSettings?: PlanSettings
  /** The commit was analyzed before, and only its ranking is of interest. */
  isKnown?: boolean
  scope?: AnalysisScope
  /** Instead of the commit of `ref`. */
  snapshot?: SnapshotSource
}

export interface Commit {
  commitSha: string
  branch: string | undefined
}

/** An AnalysisResult as JSON text, and the fields that the caller stores without parsing the text. */
export interface FinishedAnalysis extends Commit {
  json: string
  filesAnalyzed: number
  testCandidates: number
  languages: Record<string, number>
  frameworks: string[]
  /** The language that most of the project's own code is written in. */
  primaryLanguage: string | undefined
  coverage: RankingCoverage | null
}

export interface RunOptions {
  signal: AbortSignal
  /** Keeps the process for the next analysis of the same directory, which takes a third of the time then. */
  keepsProcess?: boolean
  onCommit?: (commit: Commit) => void
  onFirstAnswer?: (answer: FirstAnswer) => void
  onProgress?: (progress: Progress) => void
  /** Returns the coverage of one of the `measuredCommits`. */
  loadCoverage?: (commitSha: string) => Promise<readonly MeasuredRow[]>
}

/** What the process reports on its way. */
export type AnalysisEvent = { commit: Commit } | { firstAnswer: FirstAnswer } | { progress: Progress }

/** The process ended without an answer, because it was killed or ran out of memory. Trying again may help. */
export class AnalysisInterrupted extends Error {
  override name = 'AnalysisInterrupted'
  constructor(cause: UnansweredJob) {
    super(`The analysis was interrupted. ${cause.message}`, { cause })
  }
}

const program = fileURLToPath(new URL('process.ts', import.meta.url))
/** On top of the deadlines that the process itself keeps. */
const graceMs = 10_000

/**
 * Fetches a commit and analyzes it in a child process. Throws a RepositoryError if the repository's owner can do
 * something about the failure.
 */
export async function analyzeInChildProcess(
  job: AnalysisJob,
  { signal, keepsProcess = false, onCommit, onFirstAnswer, onProgress, loadCoverage }: RunOptions,
): Promise<FinishedAnalysis> {
  const limits = { ...defaultLimits, ...job.limits }
  try {
    return await runInChildProcess<FinishedAnalysis, AnalysisEvent>(program, job, {
      signal,
      timeoutMs: limits.fetchTimeoutMs + limits.analysisTimeoutMs + graceMs,
      onEvent(event) {
        if ('commit' in event) onCommit?.(event.commit)
        else if ('firstAnswer' in event) onFirstAnswer?.(event.firstAnswer)
        else onProgress?.(event.progress)
      },
      // The parsers keep their limit; all others come with the job.
      ...(keepsProcess && { keepFor: JSON.stringify([job.directory, limits.parseTimeoutMs]) }),
      // The only question is for the coverage of a commit.
      ...(loadCoverage && { onAsk: (commitSha) => loadCoverage(String(commitSha)) }),
      inherit: ['PATH', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
      group: true,
      // Most of what is allocated lives until the end: a larger nursery copies less of it.
      v8Options: ['--max-old-space-size=4096', '--min-semi-space-size=32', '--max-semi-space-size=64', ...forShortWork],
    })
  } catch (error) {
    if (signal.aborted) throw cancelled()
    if (!(error instanceof UnansweredJob)) throw error
    if (error.timedOut) throw new RepositoryError('timeout', 'The analysis took too long and was stopped.')
    throw new AnalysisInterrupted(error)
  }
}
