import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { Frame } from './stack-frames.ts'

export interface FailureText {
  message: string | null
  stack: string | null
  /** The file of the test. */
  file: string | null
}

export interface FailureDescription {
  /** The message with placeholders for values that change from run to run. */
  text: string
  errorId: string
  /** The innermost position in the project. */
  frame: Frame | null
  /** The first frames of the stack without the lines of the message; if no line looks like a frame, its beginning. */
  stackLines: string[]
}

export type DescribeWork = TaskWork<
  { failures: readonly FailureText[]; roots: readonly string[] },
  FailureDescription[]
>

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

/** Returns the ids of errors, which are equal for errors that differ only in values that change from run to run. */
export async function errorIdsOf(runner: TaskRunner, messages: readonly (string | null)[]): Promise<string[]> {
  const failures = messages.map((message) => ({ message, stack: null, file: null }))
  return (await describeFailures(runner, failures, [])).map(({ errorId }) => errorId)
}
