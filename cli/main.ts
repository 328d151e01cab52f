import { CommanderError } from 'commander'
import { coreFailure } from '../client/core-client.ts'
import { cleanLine, shorten } from '../client/sanitize.ts'
import { UserError } from '../client/user-error.ts'
import { destinationInUse } from './context.ts'
import { CommandError, exitCodes, explainFailure } from './failure.ts'
import { endOnSignals, interruption } from './interrupt.ts'
import { withoutFarNames } from './near-names.ts'
import { createOutput } from './output.ts'
import { createProgram } from './program.ts'

const out = createOutput({ json: process.argv.includes('--json') })

// Whoever read our output has seen enough, as `head` does.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
endOnSignals(out.warn)
// What nobody waited for gets no stack either.
process.on('uncaughtException', (error) => {
  void endWith(error)
})

try {
  await createProgram().parseAsync()
} catch (error) {
  // The signal has said so already.
  if (!interruption.signal.aborted) await tell(error)
}

async function endWith(error: unknown): Promise<void> {
  await tell(error)
  process.exit()
}

async function tell(error: unknown): Promise<void> {
  if (error instanceof CommanderError) {
    // Commander has written its words; help and version are no failures.
    process.exitCode = error.exitCode === 0 ? exitCodes.good : exitCodes.wrongUsage
    if (error.exitCode === 0) return
    // Its message where it shows help instead is a name of its own for that.
    const isHelp = error.code === 'commander.help'
    const words = withoutFarNames(error.message).replace(/^error: /, '')
    const message = isHelp ? 'Name a command. `assay --help` lists them.' : words
    answerError('WRONG_USAGE', message, exitCodes.wrongUsage)
    return
  }
  const { exitCode, code, message } = await asCommandError(error)
  process.exitCode = exitCode
  answerError(code, message, exitCode)
  out.warn(message)
}

function answerError(code: string, message: string, exitCode: number): void {
  if (out.json) out.answer({ error: { code, message, exitCode } }, () => {})
}

async function asCommandError(error: unknown): Promise<CommandError> {
  if (error instanceof CommandError) return error
  if (error instanceof UserError) return new CommandError(exitCodes.wrongUsage, 'REFUSED', error.message)
  const failure = coreFailure(error)
  if (failure) return explainFailure(failure, await destinationInUse())
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const words = shorten(cleanLine(text.replaceAll(/svc_[\w-]+/g, 'svc_…')), 500)
  return new CommandError(
    exitCodes.defect,
    'DEFECT',
    `This is a defect of assay: ${words} Report it with the command that you typed.`,
  )
}
