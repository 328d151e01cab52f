import { CommanderError } from 'commander'
import { coreFailure } from '../client/core-client.ts'
import { cleanLine, shorten } from '../client/sanitize.ts'
import { UserError } from '../client/user-error.ts'
import { destinationInUse } from './context.ts'
import { CommandError, exitCodes, explainFailure } from './failure.ts'
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
  const failure = await asCommandError(error, invocation)
  answerError(out, failure)
  out.warn(failure.message)
  return failure.exitCode
}

const outputOf = ({ args, ...streams }: Invocation) => createOutput({ json: args.includes('--json'), ...streams })

function answerError(out: Output, { code, message, exitCode }: CommandError): void {
  if (out.json) out.answer({ error: { code, message, exitCode } }, () => {})
}

async function asCommandError(error: unknown, { env }: Invocation): Promise<CommandError> {
  if (error instanceof CommandError) return error
  if (error instanceof UserError) return new CommandError(exitCodes.wrongUsage, 'REFUSED', error.message)
  const failure = coreFailure(error)
  if (failure) return explainFailure(failure, await destinationInUse(env))
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const words = shorten(cleanLine(text.replaceAll(/svc_[\w-]+/g, 'svc_…')), 500)
  return new CommandError(
    exitCodes.defect,
    'DEFECT',
    `This is a defect in assay: ${words} Please report it, with the command that you ran.`,
  )
}
