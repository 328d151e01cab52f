import type { ErrorIdsWork } from './describe-failures.ts'
import { fingerprintOf } from './fingerprint.ts'

/** The task of `errorIdsOf`. */
const work: ErrorIdsWork = ({ failures, ...options }) => failures.map((failure) => fingerprintOf(failure, options).id)

export default work
