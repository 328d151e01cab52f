import { taskAt, TaskFailure, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { Surroundings } from './failure-place.ts'
import type { Hang, Measured, TestFile } from './outcome.ts'
import type { LocatedTarget } from './locate-target.ts'
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

export type HangWork = TaskWork<HangInput, Hang | null, never, never, readonly string[]>
export type TargetWork = TaskWork<
  { test: TestFile; alone: Measured | null },
  VerificationTarget | null,
  never,
  never,
  readonly string[]
>

export type LocateWork = TaskWork<{ target: VerificationTarget; source: string }, LocatedTarget>

const hangTask = taskAt<HangWork>(new URL('hang-task.ts', import.meta.url))
const locateTask = taskAt<LocateWork>(new URL('locate-target-task.ts', import.meta.url))
const targetTask = taskAt<TargetWork>(new URL('infer-target-task.ts', import.meta.url))

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

/** Calls `locateTarget` in another process. A file that cannot be read within the limits leaves the target as it is. */
export async function locateTargetApart(
  runner: TaskRunner,
  target: VerificationTarget,
  source: string,
): Promise<LocatedTarget> {
  return (await orNull(runner.run(locateTask, { target, source }))) ?? { target }
}

async function orNull<Result>(running: Promise<Result | null>): Promise<Result | null> {
  try {
    return await running
  } catch (error) {
    if (!(error instanceof TaskFailure) || error.reason === 'lost') throw error
    return null
  }
}
