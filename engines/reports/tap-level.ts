import type { TapPlan, TestPoint } from './tap-lines.ts'

/** The tests of one indentation. */
export interface Level {
  indent: number
  /** The titles of the outer sub-tests, cut because every test repeats them. */
  suite: string
  plan: TapPlan | null
  seen: number
  /** Number of the first test; null if it has none. */
  firstNumber: number | null
  /** A range that is not the plan, because the tests have other numbers. */
  ignoredRange: string | null
  hasFailed: boolean
  /** Title of the sub-test that a comment announced. */
  subtest: string | null
  /** The last test; the next lines may belong to it. */
  point: TestPoint | null
  /** Sub-tests of a point in braces, or sub-tests before their point. */
  children: { failed: boolean } | null
  braces: boolean
}

export function newLevel(indent: number, suite: string): Level {
  return {
    indent,
    suite,
    plan: null,
    seen: 0,
    firstNumber: null,
    ignoredRange: null,
    hasFailed: false,
    subtest: null,
    point: null,
    children: null,
    braces: false,
  }
}

/**
 * Says how the plan does not match the tests that ran; null if it does.
 *
 * @param isCut - the report ends inside the test that contains this level
 */
export function planProblem({ plan, seen, firstNumber, ignoredRange }: Level, isCut: boolean): string | null {
  if (plan?.count === seen && !isCut) return null
  const missing =
    ignoredRange === null
      ? `The report has no plan (such as "1..${seen}").`
      : `The range "${ignoredRange}" is not a plan of these tests, because the first test has the number ${firstNumber ?? 1}.`
  const problem =
    plan === null
      ? `${missing} Tests that ran: ${seen}.`
      : `The plan "${plan.range}" announces ${plural(plan.count)}. Tests that ran: ${seen}.`
  return isCut ? `${problem} The report ends before the test that contains these tests.` : problem
}

const plural = (tests: number) => (tests === 1 ? '1 test' : `${tests} tests`)
