import { testTitle } from '../own-tests.ts'
import type { ChangedFile } from './facts.ts'
import type { Observed } from './judgement.ts'
import type { TestOfChange } from './tests-of-change.ts'

/** Failures that say something about the code, and not only that the test lacks something. */
export const tellingKinds: ReadonlySet<string> = new Set(['assertion', 'crash_in_code', 'timeout'])

/** Whether the test fails without the change and passes with it, because of what the code does. */
export function provesChange(test: TestOfChange, { facts: { files, textTests } }: Observed): boolean {
  if (test.head?.status !== 'passed' || textTests.includes(testTitle(test.head.example))) return false
  const { withoutChange, isOfChange, transition } = test
  if (withoutChange === 'fails') return true
  if (withoutChange === 'not_built') return isOfChange !== null
  if (withoutChange === 'passes' || transition !== 'fails_to_passes') return false
  // Without a run on the base's code, any other changed file may be the reason why the test passes now.
  return isOfChange === null && !files.some((file) => file.path === test.file || isSupport(file))
}

/** Whether tests may depend on the file although it has neither code nor tests: fixtures, data, documentation. */
export const isSupport = ({ kind, holdsCode }: ChangedFile): boolean =>
  kind === 'test_support' || (kind === 'other' && holdsCode !== true)

/** Whether the failure without the change says that the behavior differs, not that something does not exist yet. */
export const isTelling = ({ withoutChange, withoutChangeFailure, base }: TestOfChange): boolean => {
  if (withoutChange === 'fails')
    return withoutChangeFailure === null || tellingKinds.has(withoutChangeFailure.kind ?? '')
  return withoutChange === 'not_run' && tellingKinds.has(base?.example.kind ?? '')
}
