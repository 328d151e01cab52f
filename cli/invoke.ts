import { CommanderError } from 'commander'
import { explainError } from './explain-error.ts'
import { CommandError, exitCodes } from './failure.ts'
import { createInterruption } from './interrupt.ts'
import type { Invocation, RunningInvocation } from './invocation.ts'
import { withoutFarNames } from './near-names.ts'
import { createOutput, type Output } from './output.ts'
import { createProgram } from './program.ts'

/** Runs the program in this process and returns the exit code. */
export async function invoke(invocation: Invocation): Promise<number> {
  const interruption = createInterruption(invocation.signals, outputOf(invocation).warn)
  return Promise.race([perform({ ...invocation, interruption, exitCode: exitCodes.good }), interruption.deadline])
}

async function perform(running: RunningInvocation): Promise<number> {
  const { args, interruption } = running
  try {
    await createProgram({ invocation: running }).parseAsync(args, { from: 'user' })
  } catch (error) {
    // The interruption was reported when the signal came.
    if (!interruption.signal.aborted) return reportFailure(error, running)
  }
  return interruption.signal.aborted ? interruption.code : running.exitCode
}

/** Prints what went wrong, and returns the exit code for it. */
export async function reportFailure(error: unknown, invocation: Invocation): Promise<number> {
  const out = outputOf(invocation)
  if (error instanceof CommanderError) {
    // Commander has printed its message; help and version are no failures.
    if (error.exitCode === 0) return exitCodes.good
    // Where it prints the help instead, its message is a name of its own for that.
    const isHelp = error.code === 'commander.help'
    const words = withoutFarNames(error.message).replace(/^error: /, '')
    const message = isHelp ? 'Name a command. `assay --help` lists them.' : words
    answerError(out, new CommandError(exitCodes.wrongUsage, 'WRONG_USAGE', message))
    return exitCodes.wrongUsage
  }
  const failure = await explainError(error, invocation)
  answerError(out, failure)
  out.warn(failure.message)
  return failure.exitCode
}

const outputOf = ({ args, ...streams }: Invocation) => createOutput({ json: wantsJson(args), ...streams })

/** The words after `--` are for another program. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}

function answerError(out: Output, { code, message, exitCode }: CommandError): void {
  if (out.json) out.answer({ error: { code, message, exitCode } }, () => {})
}
