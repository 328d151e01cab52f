import type { ExecutionOutcome } from '../../engines/sandbox/executor.ts'
import type { RunError } from '../../engines/verdicts/schema.ts'
import type { Totals } from '../../engines/reports/totals.ts'

/** The outcome of the test command of one part. */
export interface TestOutcome {
  command: string
  outcome: ExecutionOutcome
  /** The exit codes with which the runner reports failed tests; null if they are unknown. */
  failureExitCodes: readonly number[] | null
  totals: Totals
  /** The number of reports, and the problems of the reports that could not be read. */
  reports: number
  problems: readonly string[]
  /** The globs of the reports. */
  lookedFor: readonly string[]
  /** The runner that writes the reports; null if it is unknown. */
  framework: string | null
  /** A sentence that says that the runner may not be installed. */
  undeclared?: string | undefined
  /** Whether the tests could reach the network. */
  testNetwork: boolean
  /** The tests that the run is restricted to. */
  selection: { paths: readonly string[]; tests: readonly { name: string }[] } | null
}

export interface CommandError extends RunError {
  /** Whether the output of the command says more. The caller adds where to read the output. */
  seeOutput: boolean
}

const codes: Record<Exclude<ExecutionOutcome['reason'], 'ok' | 'failed'>, string> = {
  wall: 'timeout',
  cpu: 'cpu_limit',
  memory: 'memory_limit',
  processes: 'process_limit',
  output: 'output_limit',
  disk: 'disk_limit',
  files: 'disk_limit',
  network: 'network_refused',
  cancelled: 'cancelled',
  infra: 'sandbox_failed',
}

/** The limits that the operator of the server sets. */
const limitHints: Partial<Record<ExecutionOutcome['reason'], string>> = {
  disk: "The server's setting SANDBOX_DISK_MB is the limit.",
  files: "The server's setting SANDBOX_FILES is the limit.",
}
const timeoutHint = 'Raise timeoutSeconds if the command needs more time.'
const networkHint = 'Tests have no network access unless the setting testNetwork is on.'

/**
 * Returns why an install or prepare command failed, or null if it succeeded.
 *
 * @param unresolved - the host that the command could not resolve, if its output names one
 */
export function commandError(
  what: string,
  command: string,
  outcome: ExecutionOutcome,
  unresolved?: string,
): CommandError | null {
  const { reason } = outcome
  if (reason === 'ok') return null
  const how = reason === 'failed' ? `ended with ${describeEnd(outcome)}` : `was stopped: ${outcome.message ?? reason}`
  const code = reason === 'failed' ? `${what}_failed` : codes[reason]
  const network =
    unresolved && `The server could not resolve ${unresolved}. Check its network, or set \`installCommand\`.`
  const advice = reason === 'wall' ? timeoutHint : (limitHints[reason] ?? (network || whyNotStarted(outcome)))
  return { code, message: sentences(`\`${command}\` ${how}`, advice), seeOutput: true }
}

/**
 * Returns why the test command gave no result, or null if it gave one. A success without any test and a failure without
 * a failed test are errors.
 */
export function resultError(test: TestOutcome): CommandError | null {
  const { command, outcome, totals, problems, failureExitCodes } = test
  if (outcome.reason !== 'ok' && outcome.reason !== 'failed') {
    const error = commandError('tests', command, outcome)
    const hint = outcome.reason === 'wall' && !test.testNetwork ? networkHint : ''
    return error && { ...error, message: sentences(error.message, hint) }
  }
  const [problem] = problems
  if (problem !== undefined) {
    const others = problems.length - 1
    const more = others > 0 ? `${others} more ${others === 1 ? 'report' : 'reports'} could not be read.` : ''
    return { code: 'report_unreadable', message: sentences(problem, more), seeOutput: false }
  }
  const ended = `\`${command}\` ended with ${describeEnd(outcome)}`
  const selected = describeSelection(test.selection)
  if (test.reports === 0) {
    const advice = whyNotStarted(outcome) || adviceOnReport(test)
    return { code: 'no_report', message: sentences(`${ended} and wrote no report`, advice, selected), seeOutput: true }
  }
  if (totals.totalTests === 0) {
    const advice =
      selected ||
      'Check in the output whether the command found the test files. The settings testCommand and workingDirectory decide where it looks.'
    return { code: 'no_tests', message: sentences(`${ended} and reported no tests`, advice), seeOutput: true }
  }
  // Runners report tests that a filter excludes as skipped.
  if (test.selection !== null && test.selection.tests.length > 0 && totals.skippedTests === totals.totalTests) {
    return {
      code: 'no_tests',
      message: sentences(`${ended} and skipped all tests`, selected),
      seeOutput: true,
    }
  }
  if (outcome.reason === 'failed' && totals.failedTests === 0) {
    const meaning = failureExitCodes?.includes(outcome.exitCode ?? -1) ? 'means failed tests' : 'means a failure'
    return {
      code: 'command_failed',
      message: sentences(
        `${ended}, which ${meaning}, but the reports contain no failed test`,
        'The cause may be a threshold that was not reached, an error outside of the tests, or a process that is still running.',
      ),
      seeOutput: true,
    }
  }
  return null
}

function adviceOnReport({ framework, undeclared, lookedFor }: TestOutcome): string {
  if (framework === null) {
    const globs = lookedFor.length > 0 ? `Assay looked for ${lookedFor.join(', ')}.` : ''
    return sentences(
      globs,
      'Set reportGlobs to the path of the report (JUnit XML, CTRF, TAP …), or check the output for errors',
    )
  }
  // On a machine with two cores or fewer, and for a single file, Jest runs the tests in its own process.
  const exits = framework === 'jest' ? 'A test may end the process of Jest with `process.exit`.' : ''
  return sentences(`${framework} ended before it could write a report`, exits, undeclared ?? '')
}

/** Explains the exit codes with which a shell reports that it could not start a command. */
function whyNotStarted({ reason, exitCode }: ExecutionOutcome): string {
  if (reason !== 'failed') return ''
  if (exitCode === 127) return 'A command was not found. Install it with the setting installCommand.'
  if (exitCode !== 126) return ''
  return 'A file could not be executed. Check that it is executable and built for this machine.'
}

const shownNames = 3

function describeSelection(selection: TestOutcome['selection']): string {
  const names = selection ? [...selection.paths, ...selection.tests.map(({ name }) => name)] : []
  if (names.length === 0) return ''
  return `The run was restricted to ${describeNames(names)}. Check that these tests exist.`
}

/** Quotes the first names and counts the others. */
export function describeNames(names: readonly string[]): string {
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : ''
  const shown = names.slice(0, shownNames).map((name) => `"${name.slice(0, 100)}"`)
  return `${shown.join(', ')}${more}`
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
