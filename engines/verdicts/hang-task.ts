import type { TaskContext } from '../processes/tasks.ts'
import { explainHang } from './hang.ts'
import type { HangInput } from './judge-apart.ts'
import type { Hang } from './outcome.ts'

/** The task of `explainHangApart`. */
export default function explain(
  { written, runningTests, printed, test, around }: HangInput,
  { shared: paths }: TaskContext<never, never, readonly string[]>,
): Hang | null {
  // Python prints its stacks.
  const dumpAt = printed.search(/Timeout \(\d+:\d\d:\d\d(?:\.\d+)?\)!\n(?!.*Timeout \(\d+:\d\d:\d\d)/s)
  const stacks = dumpAt < 0 ? written : `${written}\n${printed.slice(dumpAt)}`
  return explainHang({ stacks, runningTests }, test, { ...around, files: new Set(paths) })
}
