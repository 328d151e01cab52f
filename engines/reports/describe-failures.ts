import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { FailureText, FingerprintOptions } from './failure-text.ts'
import type { Frame } from './stack-frames.ts'

export interface FailureDescription {
  /** The innermost position in the project. */
  frame: Frame | null
  /** The first frames of the stack without the lines of the message; if no line looks like a frame, its beginning. */
  stackLines: string[]
}

interface Failures {
  failures: readonly FailureText[]
}

export type DescribeWork = TaskWork<Failures & { roots: readonly string[] }, FailureDescription[]>
export type ErrorIdsWork = TaskWork<Failures & FingerprintOptions, string[]>

const describing = taskAt<DescribeWork>(new URL('describe-failures-task.ts', import.meta.url))
const identifying = taskAt<ErrorIdsWork>(new URL('error-ids-task.ts', import.meta.url))

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
  return runner.run(describing, { failures, roots })
}

/** Returns the ids of `fingerprintOf`, computed in another process, in the order of the failures. */
export function errorIdsOf(
  runner: TaskRunner,
  failures: readonly FailureText[],
  options: FingerprintOptions,
): Promise<string[]> {
  return runner.run(identifying, { failures, ...options })
}
