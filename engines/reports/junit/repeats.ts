import type { Attempt, TestCase } from '../report.ts'

/** Failed tests that are held at once for a later try. */
const maxHeld = 500

/**
 * Tells tries of one test from several tests of one name. Where tests have names of their own (pytest, Go), one that
 * failed and comes again in the same suite is tried again. Elsewhere only a test that comes again at once, failed first
 * and passed last, is taken for one; all others are different tests that share a name, such as rows of a table.
 */
export function joinTries(maxAttempts: number, add: (testCase: TestCase) => void) {
  const held = new Map<string, TestCase[]>()

  const release = (only?: string) => {
    for (const [identity, cases] of held) {
      if (only !== undefined && identity !== only) continue
      held.delete(identity)
      for (const testCase of cases) add(testCase)
    }
  }
  return {
    add: (testCase: TestCase, namesAreUnique: boolean) => {
      const failed = testCase.status === 'failed'
      if (!failed && held.size === 0) return add(testCase)
      const identity = JSON.stringify([testCase.suite, testCase.name, testCase.file])
      const earlier = held.get(identity)
      if (!namesAreUnique && earlier === undefined) release()
      if (earlier !== undefined && (namesAreUnique || testCase.status === 'passed')) {
        held.delete(identity)
        const attempts = [...earlier.flatMap((one) => [...one.attempts, attemptOf(one)]), ...testCase.attempts]
        const joined = { ...testCase, attempts: attempts.slice(-maxAttempts) }
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
    release: () => release(),
  }
}

function attemptOf({ status, durationMs, message }: TestCase): Attempt {
  return { status, durationMs, message }
}
