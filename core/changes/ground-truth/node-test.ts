import type { KnownChange } from './known-change.ts'
import { evasions } from './node-test-evasions.ts'
import { fixes } from './node-test-fixes.ts'
import { newCode } from './node-test-new-code.ts'
import { withoutCode } from './node-test-no-code.ts'
import { refactorings } from './node-test-refactorings.ts'

export const nodeTest: readonly KnownChange[] = [...fixes, ...refactorings, ...newCode, ...withoutCode, ...evasions]
