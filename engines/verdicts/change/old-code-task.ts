import type { OldCodeWork } from './old-code-apart.ts'
import { readOldCode } from './old-code.ts'

/** The task of `readOldCodeApart`. */
const work: OldCodeWork = (input) => readOldCode(input)

export default work
