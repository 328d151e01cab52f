import { keepEnds } from './printed.ts'
import { withOutput } from './run-failure.ts'
import type { Work } from './run-parts.ts'

/**
 * Creates work without a log. It keeps both ends of what the latest command printed, for the message of a failure.
 *
 * @param onCommand - called before each command of an install or preparation
 * @returns the work, and a function that adds the output to a failure of its commands
 */
export function unloggedWork(
  given: Omit<Work, 'log' | 'report'>,
  mask: (text: string) => string,
  onCommand: () => void,
): { work: Work; explained: (error: unknown) => unknown } {
  let printed = keepEnds(mask)
  return {
    work: {
      ...given,
      // The message of the failure names the command.
      log: { say: () => {}, write: (text) => printed.write(text) },
      report: () => {
        printed = keepEnds(mask)
        onCommand()
      },
    },
    explained: (error) => withOutput(error, printed.text()),
  }
}
