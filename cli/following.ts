import type { AnalysisProgress } from '../core/analysis/schema.ts'

/** Also how often a log of CI gets a line of progress. Core allows waits of up to 45 s. */
const unwatchedWaitSeconds = 30

/**
 * How long the next question about something under way may wait. A person gets to see progress, every few seconds at
 * first; a token has 1,000 calls an hour, which also others use.
 */
export function waitSeconds(startedAt: number, isWatched: boolean, now = Date.now()): number {
  if (!isWatched) return unwatchedWaitSeconds
  return now - startedAt < 60_000 ? 2 : 10
}

export const describeProgress = ({ phase, filesDone, filesTotal }: AnalysisProgress) =>
  filesTotal > 0 ? `${phase}: ${filesDone} of ${filesTotal} files` : phase
