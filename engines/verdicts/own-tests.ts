import type { PlanPart } from '../test-plan/plan.ts'
import { isOutsideOfTests } from './failure-kind.ts'
import { goTestNames } from './go-tests.ts'
import type { OutcomeCase, RunOutcome, TestFile } from './outcome.ts'

/** Returns the title that identifies a test in the reports of one part. */
export const testTitle = ({ suite, name }: Pick<OutcomeCase, 'suite' | 'name'>): string =>
  suite === '' ? name : `${suite} > ${name}`

/**
 * Returns the test cases of the file.
 *
 * @param how - whether the run included only this file, so that cases without a file belong to it; otherwise the titles
 *   from the run alone
 */
export function ownCases(
  part: PlanPart,
  test: TestFile,
  { cases }: RunOutcome,
  how: { alone: true } | { alone: false; known: ReadonlySet<string> },
): OutcomeCase[] {
  if (part.framework === 'go test') return cases.filter(isGoTestOf(test, how))
  return cases.filter((found) => {
    // node:test reports a file without tests as a passed test.
    if (found.status === 'passed' && isOutsideOfTests(found)) return false
    if (found.file !== null) return found.file === test.path
    return how.alone || how.known.has(testTitle(found))
  })
}

/** Reports of Go name packages instead of files. The name of a test function is unique in its package. */
function isGoTestOf({ code }: TestFile, how: Parameters<typeof ownCases>[3]) {
  const names = new Set(goTestNames(code))
  const packages = new Set(how.alone ? [] : [...how.known].map((title) => title.split(' > ')[0]))
  return ({ suite, name }: OutcomeCase) => {
    const [root = ''] = name.split('/')
    return how.alone ? names.has(root) || name === 'package' : names.has(root) && packages.has(suite)
  }
}
