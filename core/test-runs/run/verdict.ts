import type { ExecutionOutcome } from '../executors/executor.ts'
import type { RunError } from '../schema.ts'
import type { Totals } from '../store-results.ts'

/** What became of the test command of one part. */
export interface TestOutcome {
  command: string
  outcome: ExecutionOutcome
  /** Exit codes by which the runner says that tests failed; null where that is not known. */
  failureExitCodes: readonly number[] | null
  totals: Totals
  /** Reports that were found, and what was wrong with those that could not be read. */
  reports: number
  problems: readonly string[]
  /** Where reports were looked for. */
  lookedFor: readonly string[]
}

const codes: Record<Exclude<ExecutionOutcome['reason'], 'ok' | 'failed'>, string> = {
  wall: 'timeout',
  cpu: 'cpu_limit',
  memory: 'memory_limit',
  processes: 'process_limit',
  output: 'output_limit',
  disk: 'disk_limit',
  cancelled: 'cancelled',
  infra: 'sandbox_failed',
}

/** Why a command that is not the tests' own was no success. */
export function stepError(what: string, command: string, outcome: ExecutionOutcome): RunError | null {
  const { reason } = outcome
  if (reason === 'ok') return null
  const how = reason === 'failed' ? `ended with ${describeEnd(outcome)}` : `was stopped: ${outcome.message ?? reason}`
  const code = reason === 'failed' ? `${what}_failed` : codes[reason]
  return { code, message: `\`${command}\` ${how}${/[.!]$/.test(how) ? '' : '.'} The log shows what it printed.` }
}

/**
 * Why the command gave no verdict on the tests; null where it did. Nothing counts as passed that did not run: a success
 * without a test, and a failure that no test explains, are errors.
 */
export function verdictError({ command, outcome, ...part }: TestOutcome): RunError | null {
  const { totals, problems, failureExitCodes } = part
  if (outcome.reason !== 'ok' && outcome.reason !== 'failed') return stepError('tests', command, outcome)
  const [problem] = problems
  if (problem !== undefined) {
    const more = problems.length > 1 ? ` ${problems.length - 1} more reports could not be read.` : ''
    return { code: 'report_unreadable', message: `${problem}${more}` }
  }
  const end = describeEnd(outcome)
  if (part.reports === 0) {
    return {
      code: 'no_report',
      message:
        `\`${command}\` ended with ${end} and left no report; looked for ${part.lookedFor.join(', ') || 'none'}. ` +
        'Set reportGlobs to where it writes one (JUnit XML, CTRF, TAP …), or see the log for what went wrong.',
    }
  }
  if (totals.totalTests === 0) {
    return { code: 'no_tests', message: `\`${command}\` ended with ${end} and reported no test at all.` }
  }
  if (outcome.reason === 'failed' && totals.failedTests === 0) {
    const meaning = failureExitCodes?.includes(outcome.exitCode ?? -1) ? 'says that something failed' : 'is no success'
    return {
      code: 'command_failed',
      message: `\`${command}\` ended with ${end}, which ${meaning}, though its reports name no failed test. The log says why.`,
    }
  }
  return null
}

function describeEnd({ exitCode, signal }: ExecutionOutcome): string {
  return signal === null ? `exit code ${exitCode}` : `signal ${signal}`
}
