import type { LocateWork } from './judge-apart.ts'
import { locateTarget } from './locate-target.ts'

/** The task of `locateTargetApart`. */
const work: LocateWork = ({ target, source }) => locateTarget(target, source)

export default work
