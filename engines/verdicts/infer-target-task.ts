import { inferTarget } from './infer-target.ts'
import type { TargetWork } from './judge-apart.ts'

/** The task of `inferTargetApart`. */
const work: TargetWork = ({ test, alone }, { shared: paths }) => inferTarget(test, paths, alone)

export default work
