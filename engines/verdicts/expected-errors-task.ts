import { expectedErrorsOf } from './style/expected-errors.ts'
import type { ExpectedErrorsWork } from './test-style.ts'

/** The task of `readExpectedErrors`. */
const work: ExpectedErrorsWork = ({ path, source }) => expectedErrorsOf(path, source).catch(() => [])

export default work
