import type { ExecutionOutcome } from '../../engines/sandbox/executor.ts'
import type { RunError } from '../../engines/verdicts/schema.ts'
import type { Totals } from '../../engines/reports/totals.ts'

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
  /** The runner that was to write them; null where it is not known. */
  framework: string | null
  /** Says that the runner may not be installed. */
  undeclared?: string | undefined
  /** Whether the tests could reach the network. */
  testNetwork: boolean
  /** What the run is limited to. */
  selection: { paths: readonly string[]; tests: readonly { name: string }[] } | null
}

/** Why a command gave no result. */
export interface CommandError extends RunError {
  /** Whether its output says more; the caller says where it can be read. */
  seeOutput: boolean
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

const onTime = 'Raise timeoutSeconds if it needs longer.'
const onNetwork = 'Tests have no network unless testNetwork is on.'

/** Why a command that is not the tests' own was no success. */
export function commandError(what: string, command: string, outcome: ExecutionOutcome): CommandError | null {
  const { reason } = outcome
  if (reason === 'ok') return null
  const how = reason === 'failed' ? `ended with ${describeEnd(outcome)}` : `was stopped: ${outcome.message ?? reason}`
  const code = reason === 'failed' ? `${what}_failed` : codes[reason]
  const advice = reason === 'wall' ? onTime : whyNotStarted(outcome)
  return { code, message: sentences(`\`${command}\` ${how}`, advice), seeOutput: true }
}

/**
 * Why the command gave no verdict on the tests; null where it did. Nothing counts as passed that did not run: a success
 * without a test, and a failure that no test explains, are errors.
 */
export function resultError(test: TestOutcome): CommandError | null {
  const { command, outcome, totals, problems, failureExitCodes } = test
  if (outcome.reason !== 'ok' && outcome.reason !== 'failed') {
    const error = commandError('tests', command, outcome)
    const hint = outcome.reason === 'wall' && !test.testNetwork ? onNetwork : ''
    return error && { ...error, message: sentences(error.message, hint) }
  }
  const [problem] = problems
  if (problem !== undefined) {
    const more = problems.length > 1 ? `${problems.length - 1} more reports could not be read.` : ''
    return { code: 'report_unreadable', message: sentences(problem, more), seeOutput: false }
  }
  const ended = `\`${command}\` ended with ${describeEnd(outcome)}`
  const selected = describeSelection(test.selection)
  if (test.reports === 0) {
    const advice = whyNotStarted(outcome) || adviceOnReport(test)
    return { code: 'no_report', message: sentences(`${ended} and left no report`, advice, selected), seeOutput: true }
  }
  if (totals.totalTests === 0) {
    const advice =
      selected || 'Check in its output whether it found the test files; testCommand and workingDirectory say where.'
    return { code: 'no_tests', message: sentences(`${ended} and reported no test at all`, advice), seeOutput: true }
  }
  // Runners report as skipped what a filter leaves out.
  if (test.selection !== null && test.selection.tests.length > 0 && totals.skippedTests === totals.totalTests) {
    return {
      code: 'no_tests',
      message: sentences(`${ended} and ran no test: all were skipped`, selected),
      seeOutput: true,
    }
  }
  if (outcome.reason === 'failed' && totals.failedTests === 0) {
    const meaning = failureExitCodes?.includes(outcome.exitCode ?? -1) ? 'says that something failed' : 'is no success'
    return {
      code: 'command_failed',
      message: sentences(
        `${ended}, which ${meaning}, though its reports name no failed test`,
        'The cause may be a missed threshold, an error outside of the tests, or a process that was left behind.',
      ),
      seeOutput: true,
    }
  }
  return null
}

function adviceOnReport({ framework, undeclared, lookedFor }: TestOutcome): string {
  if (framework === null) {
    return `Looked for ${lookedFor.join(', ') || 'none'}. Set reportGlobs to where it writes one (JUnit XML, CTRF, TAP …), or look in its output for what went wrong.`
  }
  return sentences(`${framework} ended before it could write one`, undeclared ?? '')
}

/** What shells say by their exit codes of a command that they could not start. */
function whyNotStarted({ reason, exitCode }: ExecutionOutcome): string {
  if (reason !== 'failed') return ''
  if (exitCode === 127) return 'A command was not found: is it installed? installCommand can do it.'
  return exitCode === 126 ? 'A command may not be executed: is the file executable, and made for this machine?' : ''
}

const shownNames = 3

function describeSelection(selection: TestOutcome['selection']): string {
  const names = selection ? [...selection.paths, ...selection.tests.map(({ name }) => name)] : []
  if (names.length === 0) return ''
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : ''
  return `Only ${names
    .slice(0, shownNames)
    .map((name) => `"${name.slice(0, 100)}"`)
    .join(', ')}${more} was asked for; perhaps nothing here has that name.`
}

function sentences(...texts: string[]): string {
  return texts
    .filter((text) => text !== '')
    .map((text) => (/[.!?…]$/.test(text) ? text : `${text}.`))
    .join(' ')
}

function describeEnd({ exitCode, signal }: ExecutionOutcome): string {
  return signal === null ? `exit code ${exitCode}` : `signal ${signal}`
}
