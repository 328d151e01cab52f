import type { TestCase } from './report.ts'

export interface ReadCase extends TestCase {
  /**
   * The fingerprint of the failure, or of the last failed attempt of a test that passed after it. Absent for tests
   * without a failure.
   */
  errorId?: string
}

/** A case on its way between processes: without the names of its fields, the text is little more than half as long. */
export type CaseFields = ReturnType<typeof fieldsOf>

export const fieldsOf = (test: ReadCase) =>
  [
    test.suite,
    test.name,
    test.file,
    test.line,
    test.status,
    test.durationMs,
    test.message,
    test.stack,
    test.attempts,
    test.errorId ?? null,
    test.failure ?? null,
  ] as const

export function caseOf([
  suite,
  name,
  file,
  line,
  status,
  durationMs,
  message,
  stack,
  attempts,
  errorId,
  failure,
]: CaseFields): ReadCase {
  return {
    suite,
    name,
    file,
    line,
    status,
    durationMs,
    message,
    stack,
    attempts,
    ...(errorId !== null && { errorId }),
    ...(failure !== null && { failure }),
  }
}
