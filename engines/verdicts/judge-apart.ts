import { taskAt, TaskFailure, type TaskRunner } from '../processes/tasks.ts'
import type { Surroundings } from './failure-place.ts'
import type { Hang, Measured, TestFile } from './outcome.ts'
import type { VerificationTarget } from './schema.ts'

export interface HangInput {
  /** Stacks that the runner wrote to a file. */
  written: string
  /** See `HangTraces`. */
  runningTests: string
  /** The end of the output. */
  printed: string
  test: TestFile
  around: Omit<Surroundings, 'files'>
}

const hangTask = taskAt<typeof import('./hang-task.ts')>(new URL('hang-task.ts', import.meta.url))
const targetTask = taskAt<typeof import('./infer-target-task.ts')>(new URL('infer-target-task.ts', import.meta.url))

/** Calls `explainHang` in another process. Returns null also for traces that cannot be read within the limits. */
export function explainHangApart(runner: TaskRunner, input: HangInput, paths: readonly string[]): Promise<Hang | null> {
  return orNull(runner.run(hangTask, input, { shared: paths }))
}

/** Calls `inferTarget` in another process. Returns null also for a test that cannot be read within the limits. */
export function inferTargetApart(
  runner: TaskRunner,
  { path, code }: TestFile,
  paths: readonly string[],
  alone: Measured | null,
): Promise<VerificationTarget | null> {
  return orNull(runner.run(targetTask, { test: { path, code }, alone }, { shared: paths }))
}

async function orNull<Result>(running: Promise<Result | null>): Promise<Result | null> {
  try {
    return await running
  } catch (error) {
    if (!(error instanceof TaskFailure) || error.reason === 'lost') throw error
    return null
  }
}
