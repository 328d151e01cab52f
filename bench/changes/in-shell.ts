import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Step } from '../../engines/test-plan/plan.ts'
import type { ShellCheckout } from '../run/in-shell.ts'

/** Runs the same step several times and returns the milliseconds; the tests may fail. */
export async function runTimes(shell: ShellCheckout, step: Step, times: number): Promise<number> {
  let sum = 0
  for (let time = 0; time < times; time++) sum += (await shell.run(step)).ms
  return sum
}

/** Copies a file from one checkout to another for the time of the work. */
export async function withFileOf<Result>(
  { from, to }: { from: ShellCheckout; to: ShellCheckout },
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await cp(join(from.root, path), join(to.root, path))
  const result = await work()
  await rm(join(to.root, path))
  return result
}
