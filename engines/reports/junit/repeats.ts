import { withLastStack } from '../attempts.ts'
import type { Attempt, TestCase } from '../report.ts'

/** The maximum number of failed tests that are held for a later attempt. */
const maxHeld = 500

/**
 * Distinguishes attempts of one test from several tests with the same name. If names are unique (pytest, Go), a repeated
 * name in a suite after a failure is another attempt. Otherwise only an immediate repetition that first failed and then
 * passed is one; all others are different tests with the same name, such as rows of a table.
 */
export function joinTries(maxAttempts: number, add: (testCase: TestCase) => void) {
  const held = new Map<string, TestCase[]>()

  const release = (identity: string) => {
    const cases = held.get(identity) ?? []
    held.delete(identity)
    for (const testCase of cases) add(testCase)
  }
  const releaseAll = () => {
    for (const identity of held.keys()) release(identity)
  }
  return {
    add: (testCase: TestCase, namesAreUnique: boolean) => {
      const failed = testCase.status === 'failed'
      if (!failed && held.size === 0) return add(testCase)
      const identity = JSON.stringify([testCase.suite, testCase.name, testCase.file])
      const earlier = held.get(identity)
      if (!namesAreUnique && earlier === undefined) releaseAll()
      if (earlier !== undefined && (namesAreUnique || testCase.status === 'passed')) {
        held.delete(identity)
        const attempts = [...earlier.flatMap((one) => [...one.attempts, attemptOf(one)]), ...testCase.attempts]
        const joined = { ...testCase, attempts: withLastStack(attempts.slice(-maxAttempts)) }
        if (failed) held.set(identity, [joined])
        else add(joined)
        return
      }
      if (!failed || (earlier?.length ?? 0) >= maxAttempts) release(identity)
      if (failed) held.set(identity, [...(held.get(identity) ?? []), testCase])
      else add(testCase)
      const [oldest] = held.keys()
      if (held.size > maxHeld && oldest !== undefined) release(oldest)
    },
    /** Adds the held cases: later cases are no further attempts of them. */
    release: releaseAll,
  }
}

function attemptOf({ status, durationMs, message, stack }: TestCase): Attempt {
  return { status, durationMs, message, ...(stack !== null && { stack }) }
}
