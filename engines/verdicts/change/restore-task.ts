import { partsToRestore } from './parts-to-restore.ts'
import type { RestoreWork } from './restore-apart.ts'

/** The task of `partsToRestoreApart`. */
const work: RestoreWork = (input) => partsToRestore(input)

export default work
