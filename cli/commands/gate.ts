import type { Command } from 'commander'
import { reportFormats } from '../../engines/reports/report.ts'
import { awaitGate, type AwaitGateOptions } from '../await-gate.ts'
import { type BareContext, openBareContext, openContext } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { type GateReport, settleGate } from '../gate.ts'
import { repeated, timeFrom } from '../options.ts'
import { type RunningProgram, startCommand } from '../run-command.ts'
import { addUploadOptions, readTestedCode } from '../upload-fields.ts'
import { watchReports } from '../written-reports.ts'

interface GateOptions extends AwaitGateOptions {
  reports?: string[]
  coverage?: string[]
}

const defaultTimeoutSeconds = 60

export function addGate(program: Command): void {
  const gate = program
    .command('gate')
    .description(
      'without a command, wait for the gate of a commit or pull request and exit by it; with one, run tests, upload their reports, and exit with 0 if only muted tests failed, else with the exit code of the command',
    )
    .usage('[options] [-- COMMAND [ARGS...]]')
    .argument('[command...]', 'command that runs the tests, after --')
    .option('--head <ref>', 'branch or full commit id whose gate to wait for (default: from CI, else the checkout)')
    .option('--base <ref>', 'branch, tag or commit to compare with (default: from CI, else the branch of the project)')
    .option<string[] | undefined>(
      '--reports <files>',
      `reports that the command writes: ${reportFormats}; quote wildcards (repeatable; default: found by name and content)`,
      repeated,
    )
    .option<string[] | undefined>(
      '--coverage <files>',
      'coverage that the command writes: LCOV, Cobertura, Istanbul, Go, JaCoCo or Clover (repeatable)',
      repeated,
    )
    .option(
      '--timeout <time>',
      'maximum time to wait, such as 30s or 2m (default: 60s for the server after a command, 30m for a gate)',
      timeFrom(1),
    )
    .option('--save <file>', 'also write the gate that was waited for to a file, as JSON')
  addUploadOptions(gate).action(runGate)
}

async function runGate(given: string[], options: GateOptions, command: Command): Promise<void> {
  const context = openBareContext(command)
  if (given.length === 0 && !context.args.includes('--')) return awaitGate(options, openContext(command))
  const { out, exitAs, passSignalsTo, cwd } = context
  const words = commandAfterDashes(given, context)
  const { timeout: timeoutSeconds = defaultTimeoutSeconds } = options
  const findReports = await watchReports({ reports: options.reports, coverage: options.coverage ?? [] }, cwd)
  const code = readTestedCode(options, context)
  // Trouble with git must not keep the command from running.
  await Promise.allSettled([code])
  // The interruption has reported itself.
  if (context.signal.aborted) return
  const running = startCommand(words, context)
  const isStopped = whileRunning(running, context)
  const { exitCode, problem } = await running.ended
  exitAs(exitCode)
  const waiting = new AbortController()
  passSignalsTo(() => waiting.abort(new DOMException('Stopped by a signal.', 'AbortError')))
  const report =
    problem === null && !isStopped()
      ? await settleGate({ exitCode, findReports, code, options, timeoutSeconds, stop: waiting.signal }, context)
      : unsettled(exitCode, problem ?? 'a signal stopped the command')
  passSignalsTo(null)
  exitAs(report.exitCode)
  // Stdout belongs to the command.
  out.warn(report.statement)
  if (out.json) out.answer({ command: words, ...report }, () => {})
}

const unsettled = (exitCode: number, why: string): GateReport => ({
  commandExitCode: exitCode,
  exitCode,
  statement: `Assay uploaded nothing, because ${why}.`,
  reports: [],
  run: null,
  muted: null,
})

/** Passes signals on, and returns whether there was one. */
function whileRunning(running: RunningProgram, { passSignalsTo }: BareContext): () => boolean {
  let isStopped = false
  passSignalsTo((signal) => {
    isStopped = true
    running.pass(signal)
  })
  return () => isStopped
}

/** Without the dashes, options of the command could be taken for those of this program. */
function commandAfterDashes(given: readonly string[], { args }: BareContext): readonly string[] {
  const dashes = args.indexOf('--')
  const words = dashes === -1 ? [] : args.slice(dashes + 1)
  if (words.length > 0 && words.length === given.length) return words
  throw wrongUsage('Write the command after two dashes, as in `assay gate -- npm test`.')
}
