import { styleOf } from './style/style-of.ts'
import type { StyleWork } from './test-style.ts'

/** The task of `readTestStyle`. A source that the parser cannot handle has no style. */
const work: StyleWork = ({ path, source }) => styleOf(path, source).catch(() => null)

export default work
