import type { Example } from './example.ts'
import type { Smoke } from './smoke.ts'
import type { Subject } from './symbols.ts'
import { arrange, stateExpectation, stateExpectedState } from './wording.ts'

/** How a language writes the statements of a test. Paths and names are identifiers already. */
export interface Syntax {
  comment: '//' | '#'
  /** Declares the input. */
  input: string
  /** Objects of the language are made without it. */
  constructsWithoutInput?: true
  /** Keeps what `path`, called with the input, returns. */
  call: (path: readonly string[]) => string
  /** Makes the object that a method belongs to. */
  create: (path: readonly string[]) => string
  /** Keeps what the object's method returns. */
  invoke: (name: string) => string
  /** Makes an object that is the subject itself. */
  construct: (path: readonly string[]) => string
  /** Fails with a message and what the variable holds. */
  fail: (message: string, variable: 'result' | 'subject') => string
  /** Fails where nothing can be called yet. */
  failWhole: string
  /** Says that the subject is there, where the language has smoke tests. */
  exists?: (subject: Subject, smoke: Smoke) => string[]
}

/** Arrange, act and assert, where the assertion fails until somebody has stated what is expected. */
export function bodyLines(example: Example, syntax: Syntax): string[] {
  const { subject, smoke } = example
  if (smoke && syntax.exists) return syntax.exists(subject, smoke)
  const note = (text: string) => `${syntax.comment} ${text}`
  if (subject.form === 'whole') return [note(arrange(example)), note('Act and assert'), syntax.failWhole]

  if (subject.form === 'construct') {
    const input = syntax.constructsWithoutInput ? [] : [syntax.input, '']
    const act = [note('Act'), syntax.construct(subject.path)]
    return [note(arrange(example)), ...input, ...act, '', note('Assert'), syntax.fail(stateExpectedState, 'subject')]
  }
  const act = subject.form === 'call' ? syntax.call(subject.path) : syntax.invoke(subject.name)
  return [
    note(arrange(example)),
    syntax.input,
    ...(subject.form === 'method' ? [syntax.create(subject.owner)] : []),
    '',
    note('Act'),
    act,
    '',
    note('Assert'),
    syntax.fail(stateExpectation, 'result'),
  ]
}

/** The names of the subject, for the names of tests and groups; none for a whole file. */
export function subjectNames({ subject }: Example): readonly string[] {
  if (subject.form === 'whole') return []
  return subject.form === 'method' ? [...subject.owner, subject.name] : subject.path
}

/** What a test has to import to reach the subject; undefined for a whole file. */
export function importedName({ subject }: Example): string | undefined {
  if (subject.form === 'whole') return undefined
  return (subject.form === 'method' ? subject.owner : subject.path)[0]
}
