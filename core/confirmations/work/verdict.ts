import { counted } from '../../../engines/verdicts/worth.ts'
import { type ConfirmationEvidence, type ConfirmationVerdict, leastRepeats } from '../schema.ts'
import type { Repetitions } from './repeat.ts'

const maxErrors = 5
const maxErrorLength = 2_000

/** Judges what the repetitions showed. */
export function judgeRepetitions(
  alone: Repetitions | null,
  inSuite: Repetitions | null,
  { warnings, durationMs }: { warnings: readonly string[]; durationMs: number },
): { verdict: ConfirmationVerdict; evidence: ConfirmationEvidence } {
  const none: Repetitions = { runs: 0, passed: 0, failed: 0, command: null, errors: [], problems: [], slowestMs: 0 }
  const [one, all] = [alone ?? none, inSuite ?? none]
  const runs = one.runs + all.runs
  const failed = one.failed + all.failed
  const problems = [...new Set([...one.problems, ...all.problems])]
  const bound = failed === 0 && runs > 0 ? failureRateBelow(runs) : null
  const shown = ({ runs: count, passed, failed: failures, command }: Repetitions) => ({
    runs: count,
    passed,
    failed: failures,
    command,
  })
  const { verdict, reason, summary } = verdictOf({ one, all, runs, failed, problems, bound })
  return {
    verdict,
    evidence: {
      reason,
      summary,
      alone: shown(one),
      inSuite: shown(all),
      failureRateBelow: bound,
      errors: [...new Set([...one.errors, ...all.errors])]
        .slice(0, maxErrors)
        .map((text) => text.slice(0, maxErrorLength)),
      warnings: [...warnings, ...problems.filter((problem) => !summary.includes(problem))],
      durationMs: Math.round(durationMs),
    },
  }
}

/** Percent: with 95 % confidence, a test that passed so many runs fails in fewer of them. */
export const failureRateBelow = (passes: number): number => Math.ceil(1_000 * (1 - 0.05 ** (1 / passes))) / 10

interface Facts {
  one: Repetitions
  all: Repetitions
  runs: number
  failed: number
  problems: readonly string[]
  bound: number | null
}

function verdictOf({ one, all, runs, failed, problems, bound }: Facts): {
  verdict: ConfirmationVerdict
  reason: string
  summary: string
} {
  const ran = `${counted(one.runs, 'time')} alone${all.runs > 0 ? ` and ${counted(all.runs, 'time')} in its suite` : ''}`
  if (failed > 0) {
    const where = one.failed > 0 ? 'alone' : 'in its suite'
    return {
      verdict: 'failed',
      reason: 'still_fails',
      summary: `The test failed ${where}. It ran ${ran}.`,
    }
  }
  // The time may not have allowed more.
  if (one.runs < leastRepeats || all.runs === 0) {
    const few =
      runs === 0
        ? 'The test did not run, which confirms nothing.'
        : `The test ran only ${ran}${all.runs === 0 ? ', never in its suite' : ''}, which is too little to confirm a fix.`
    return {
      verdict: 'inconclusive',
      reason: runs === 0 ? 'not_run' : 'too_few_runs',
      summary: [few, ...problems.slice(0, 1)].join(' '),
    }
  }
  return {
    verdict: 'confirmed',
    reason: 'all_passed',
    summary: `The test passed all repetitions: ${ran}. With 95 % confidence it fails in less than ${bound} % of runs.`,
  }
}
