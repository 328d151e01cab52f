import type { TaskContext } from '../processes/tasks.ts'
import { inferTarget } from './infer-target.ts'
import type { Measured, TestFile } from './outcome.ts'
import type { VerificationTarget } from './schema.ts'

/** The task of `inferTargetApart`. */
export default function infer(
  { test, alone }: { test: TestFile; alone: Measured | null },
  { shared: paths }: TaskContext<never, never, readonly string[]>,
): VerificationTarget | null {
  return inferTarget(test, paths, alone)
}
