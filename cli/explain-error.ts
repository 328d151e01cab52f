import { coreFailure } from '../client/core-client.ts'
import { cleanLine, shorten } from '../client/sanitize.ts'
import { UserError } from '../client/user-error.ts'
import { destinationInUse } from './context.ts'
import { CommandError, exitCodes, explainFailure } from './failure.ts'
import type { Invocation } from './invocation.ts'

/** Explains any error to the user. */
export async function explainError(error: unknown, { env }: Pick<Invocation, 'env'>): Promise<CommandError> {
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
