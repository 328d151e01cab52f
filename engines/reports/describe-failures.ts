import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { FailureText, FingerprintOptions } from './failure-text.ts'
import type { Frame } from './stack-frames.ts'

export interface FailureDescription {
  /** The message with placeholders for values that change from run to run. */
  text: string
  /** The id of `fingerprintOf`. */
  errorId: string
  /** The innermost position in the project. */
  frame: Frame | null
  /** The first frames of the stack without the lines of the message; if no line looks like a frame, its beginning. */
  stackLines: string[]
}

export type DescribeWork = TaskWork<{ failures: readonly FailureText[] } & FingerprintOptions, FailureDescription[]>

const task = taskAt<DescribeWork>(new URL('describe-failures-task.ts', import.meta.url))

/**
 * Describes failures in another process, in the order of their texts.
 *
 * @param roots - folders that absolute paths in stacks begin with
 */
export function describeFailures(
  runner: TaskRunner,
  failures: readonly FailureText[],
  roots: readonly string[],
): Promise<FailureDescription[]> {
  return runner.run(task, { failures, roots })
}

/** Returns the fingerprints of failures, which are equal for failures of one cause. */
export async function errorIdsOf(
  runner: TaskRunner,
  failures: readonly FailureText[],
  options: FingerprintOptions,
): Promise<string[]> {
  return (await runner.run(task, { failures, ...options })).map(({ errorId }) => errorId)
}
