import { judgeChange } from './judge-change.ts'
import type { JudgeWork } from './judge-apart.ts'

/** The task of `judgeChangeApart`. */
const work: JudgeWork = (facts) => judgeChange(facts)

export default work
