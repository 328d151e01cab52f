import type { ChangeIntent, ChangeVerdict, TestTransition } from '../../../engines/verdicts/change/schema.ts'
import type { Edit } from './edits.ts'

/** A change of a small project, and what a careful reviewer says of it. */
export interface KnownChange {
  name: string
  /** What the base has beyond the project, such as a test that fails already. */
  before?: readonly Edit[]
  edits: readonly Edit[]
  /** Defaults to `change`. */
  expect?: ChangeIntent
  /** Where reviewers could differ there are several; the first is the best. */
  verdict: ChangeVerdict | readonly ChangeVerdict[]
  /** Some of the tests by a part of their names, and what the change does to them. */
  transitions?: Readonly<Record<string, TestTransition>>
  /** Texts that the reason or the list of what is missing must contain, such as a name. */
  says?: readonly string[]
  /** A test that fails at random needs more repeats than others. */
  repeats?: number
  /** The verdict on it was not looked at until verdicts were final. */
  isAside?: true
}

export const verdictsOf = ({ verdict }: KnownChange): readonly ChangeVerdict[] =>
  typeof verdict === 'string' ? [verdict] : verdict
