import { explainHang } from './hang.ts'
import type { HangWork } from './judge-apart.ts'

/** The task of `explainHangApart`. */
const work: HangWork = ({ written, runningTests, printed, test, around }, { shared: paths }) => {
  // Python prints its stacks.
  const dumpAt = printed.search(/Timeout \(\d+:\d\d:\d\d(?:\.\d+)?\)!\n(?!.*Timeout \(\d+:\d\d:\d\d)/s)
  const stacks = dumpAt < 0 ? written : `${written}\n${printed.slice(dumpAt)}`
  return explainHang({ stacks, runningTests }, test, { ...around, files: new Set(paths) })
}

export default work
