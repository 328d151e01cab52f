import { AnalysisProgress } from '../core/analysis/schema.ts'
import { type Change, ChangePhase } from '../core/changes/schema.ts'
import { type Measurement, StrengthPhase } from '../core/strength/schema.ts'
import { type Verification, VerificationPhase } from '../core/verifications/schema.ts'

/** Progress as one number that only rises, which MCP requires. */
export interface Progress {
  done: number
  total: number
  message: string
}

/** Adds the share of the current phase to the phases before it. */
export function progressIn<Phase extends string>(
  phases: readonly Phase[],
  phase: Phase,
  share: number,
  message: string,
): Progress {
  return { done: Number((phases.indexOf(phase) + Math.min(1, share)).toFixed(3)), total: phases.length, message }
}

/** Each phase counts its files from zero. */
export function analysisProgress({ phase, filesDone, filesTotal }: AnalysisProgress): Progress {
  const share = filesTotal > 0 ? filesDone / filesTotal : 0
  const message = filesTotal > 0 ? `${phase}: ${filesDone} of ${filesTotal} files` : phase
  return progressIn(AnalysisProgress.shape.phase.options, phase, share, message)
}

export const verificationProgress = (work: Pick<Verification, 'status' | 'progress'>): Progress =>
  progressInRuns(VerificationPhase.options, work)

export const changeProgress = (work: Pick<Change, 'status' | 'progress'>): Progress =>
  progressInRuns(ChangePhase.options, work)

export const measurementProgress = (work: Pick<Measurement, 'status' | 'progress'>): Progress =>
  progressInRuns(StrengthPhase.options, work, {
    what: 'mutants',
    names: {
      installing: 'installing dependencies; the budget begins after it',
      checking: 'repeating a sample in fresh processes',
    },
  })

interface Work<Phase extends string> {
  status: string
  progress: { phase: Phase; done: number; total: number } | null
}

function progressInRuns<Phase extends string>(
  phases: readonly Phase[],
  { status, progress }: Work<Phase>,
  { what = 'runs', names = {} }: { what?: string; names?: Partial<Record<Phase, string>> } = {},
): Progress {
  if (!progress) {
    if (status === 'pending') return { done: 0, total: phases.length, message: 'queued' }
    if (status === 'running') return { done: 0, total: phases.length, message: 'starting' }
    return { done: phases.length, total: phases.length, message: status }
  }
  const { phase, done, total } = progress
  const name = names[phase] ?? phase.replaceAll('_', ' ')
  return total > 0
    ? progressIn(phases, phase, done / total, `${name}: ${done} of ${total} ${what}`)
    : progressIn(phases, phase, 0, name)
}
