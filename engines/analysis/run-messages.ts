import type { Progress } from './types.ts'
import type { AnalysisJob, Commit, FinishedAnalysis } from './run.ts'

export type ToAnalysis = { job: AnalysisJob } | { abort: true }

export type FromAnalysis =
  | { commit: Commit }
  | { progress: Progress }
  | { finished: FinishedAnalysis }
  /** A reason that the repository's owner understands, or a defect of ours. */
  | { failed: { code: string | undefined; message: string; stack: string | undefined } }
