import type { PlanPart } from '../test-plan/plan.ts'
import { isOutsideOfTests } from './failure-kind.ts'
import { goTestNames } from './go-tests.ts'
import type { OutcomeCase, RunOutcome, TestFile } from './outcome.ts'

/** Identifies a test among the reports of one part. */
export const testTitle = ({ suite, name }: Pick<OutcomeCase, 'suite' | 'name'>): string =>
  suite === '' ? name : `${suite} > ${name}`

/**
 * The cases that are tests of the file.
 *
 * @param how - whether the run was confined to it, so that what names no file is its own; else the titles that were
 *   seen when it ran alone
 */
export function ownCases(
  part: PlanPart,
  test: TestFile,
  { cases }: RunOutcome,
  how: { alone: true } | { alone: false; known: ReadonlySet<string> },
): OutcomeCase[] {
  if (part.framework === 'go test') return cases.filter(isGoTestOf(test, how))
  return cases.filter((found) => {
    // node:test takes a file without tests for a test that passed.
    if (found.status === 'passed' && isOutsideOfTests(found)) return false
    if (found.file !== null) return found.file === test.path
    return how.alone || how.known.has(testTitle(found))
  })
}

/** Reports on Go name packages and no files: tests are told by their functions, of which a package has one of a name. */
function isGoTestOf({ code }: TestFile, how: Parameters<typeof ownCases>[3]) {
  const names = new Set(goTestNames(code))
  const packages = new Set(how.alone ? [] : [...how.known].map((title) => title.split(' > ')[0]))
  return ({ suite, name }: OutcomeCase) => {
    const [root = ''] = name.split('/')
    return how.alone ? names.has(root) || name === 'package' : names.has(root) && packages.has(suite)
  }
}
