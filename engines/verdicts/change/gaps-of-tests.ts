import { testTitle } from '../own-tests.ts'
import { counted } from '../worth.ts'
import { lastingProblem } from './failures-of-head.ts'
import { type Gap, gap } from './gap.ts'
import { goneTests } from './gone-tests.ts'
import type { Observed } from './judgement.ts'
import { named, titles } from './sentences.ts'
import type { TestOfChange } from './tests-of-change.ts'

export function withoutTests({ tests, sides }: Observed): Gap[] {
  if (tests.some(({ head }) => head?.status === 'passed') || sides.unknown > 0) return []
  return [gap('no_tests', 'No test passes with the change. Write tests of the changed code.')]
}

export function whyNoProof({ tests, facts, sides, lines }: Observed): Gap[] {
  const own = tests.filter(({ isOfChange, head }) => isOfChange !== null && head?.status === 'passed')
  const passing = own.filter(({ withoutChange }) => withoutChange === 'passes')
  const unknown = own.filter(({ withoutChange }) => withoutChange === 'not_run')
  const place = changedPlace(facts.files.filter(({ kind }) => kind === 'code'))
  const same =
    lines.canRun === false || couldBeRefactoring(facts)
      ? ' If this is a refactoring, verify with `expect: same`; then the tests must show that nothing changed.'
      : ''
  if (lines.canRun === false) {
    return [
      gap(
        'no_executable_lines',
        `No test fails without the change, and the coverage names none of the changed lines: they are comments, declarations or parts of longer statements.${same}`,
      ),
    ]
  }
  const following = followingText(tests, facts.textTests)
  if (following.length > 0) {
    return [
      gap(
        'follows_the_text',
        `No test fails because of what the old code does. ${saysFollowing(following)} Call the code and assert its results${place}.`,
      ),
      ...passesWithout(passing),
    ]
  }
  if (unknown.length > 0) {
    if (facts.notRun.includes('without_change')) return passesWithout(passing)
    return [
      gap(
        'without_change_not_run',
        `It is not known whether ${titles(unknown)} ${unknown.length === 1 ? 'fails' : 'fail'} without the change, because no run of the tests on the code of the base reported them.`,
      ),
      ...passesWithout(passing),
    ]
  }
  if (passing.length > 0) {
    return [
      gap(
        'passes_without_it',
        `No test fails without the change. ${titles(passing)} ${passing.length === 1 ? 'passes' : 'pass'} without it too, which proves nothing about the change. Assert what the change makes different${place}.${same}`,
      ),
    ]
  }
  const skipped = sides.skipped.filter(({ file }) =>
    facts.files.some(({ path, kind }) => path === file && kind !== 'other'),
  )
  const seen =
    skipped.length > 0
      ? `the runner skips ${counted(skipped.length, 'test')} of the changed test files. Remove the skip`
      : `the change adds or changes no test that passes. Write a test that fails on the old code${place}`
  return [gap('no_test_fails_without_it', `No test fails without the change, and ${seen}.${same}`)]
}

/** These restored parts differ from the new code in what they do. */
const otherMeaning: ReadonlySet<string> = new Set(['removal', 'addition', 'move', 'alteration'])

/** Whether the change may keep all behavior: it replaces code, and no part of it certainly means something else. */
const couldBeRefactoring = ({ files, restored }: Observed['facts']) =>
  files.some(({ kind, removed = [] }) => kind === 'code' && removed.length > 0) &&
  !restored.some(({ kind }) => otherMeaning.has(kind))

/** Returns the tests that pass now and follow the text of the code. */
export const followingText = (tests: readonly TestOfChange[], textTests: readonly string[]) =>
  tests.filter(({ head }) => head?.status === 'passed' && textTests.includes(testTitle(head.example)))

export const saysFollowing = (tests: readonly TestOfChange[]) =>
  `${titles(tests)} ${tests.length === 1 ? 'follows' : 'follow'} the text of the code: another text changes ${tests.length === 1 ? 'its' : 'their'} result although the code does the same.`

function passesWithout(passing: readonly TestOfChange[]): Gap[] {
  if (passing.length === 0) return []
  return [
    gap(
      'passes_without_it',
      `${titles(passing)} ${passing.length === 1 ? 'passes' : 'pass'} without the change too, which proves nothing about it. Assert what the change makes different.`,
    ),
  ]
}

/** ", which changes src/cart.ts from line 4 on" */
function changedPlace(code: Observed['facts']['files']): string {
  const [file] = code
  if (file === undefined) return ''
  const line = file.change === 'changed' ? file.lines[0]?.[0] : undefined
  const more = code.length > 1 ? ` and ${counted(code.length - 1, 'other file')}` : ''
  return `, in ${file.path}${line === undefined ? '' : `:${line}`}${more}`
}

export function ownFailures(tests: readonly TestOfChange[]): Gap[] {
  const failing = tests.filter(({ transition, isOfChange }) => transition === 'fails_both' && isOfChange !== null)
  if (failing.length === 0) return []
  return [
    gap(
      'own_test_fails',
      `The change edits ${titles(failing)}, which ${failing.length === 1 ? 'fails' : 'fail'} before and after it. Make ${failing.length === 1 ? 'it' : 'them'} pass.`,
    ),
  ]
}

export function unknownFailures({ tests, sides, facts }: Observed): Gap[] {
  const gaps: Gap[] = []
  const failing = tests.filter(({ transition }) => transition === 'new_failing')
  if (failing.length > 0) {
    gaps.push(
      gap(
        'base_unknown',
        `${titles(failing)} ${failing.length === 1 ? 'fails' : 'fail'} with the change, and the results without it are not known. Make ${failing.length === 1 ? 'it' : 'them'} pass.`,
      ),
    )
  }
  const [first] = facts.head.runs
  const compared = first?.cases.filter(({ status }) => status === 'failed').length ?? 0
  const hidden = (first?.totals.failedTests ?? 0) - compared
  if (hidden > 0) {
    gaps.push(
      gap(
        'no_result',
        `${counted(hidden, 'test')} ${hidden === 1 ? 'fails' : 'fail'} with the change that Assay did not compare, because the reports contain too many tests. Make ${hidden === 1 ? 'it' : 'them'} pass.`,
      ),
    )
  }
  const problem = lastingProblem(facts.head)
  if (problem !== null && problem.code !== 'command_failed' && problem.code !== 'no_tests') {
    gaps.push(
      gap(
        'no_result',
        `The run of all tests did not end, so some of them have no result: ${problem.message.slice(0, 500)}`,
      ),
    )
  } else if (!sides.isHeadKnown && facts.head.runs.length > 0 && facts.intent === 'same') {
    gaps.push(
      gap('no_result', 'The reports contain more tests than Assay compares, so some of them were not compared.'),
    )
  }
  return gaps
}

export function removedTests(observed: Observed): Gap[] {
  const { removed } = goneTests(observed)
  const skipped = removed.filter(({ isSkippedElsewhere }) => isSkippedElsewhere)
  const deleted = removed.filter(({ isSkippedElsewhere }) => !isSkippedElsewhere)
  return [
    ...(deleted.length > 0
      ? [
          gap(
            'tests_removed',
            `The change removes ${removedNames(deleted)}, and the code that ${deleted.length === 1 ? 'it tests' : 'they test'} seems to stay. Restore ${deleted.length === 1 ? 'it' : 'them'}.`,
          ),
        ]
      : []),
    ...(skipped.length > 0
      ? [
          gap(
            'tests_skipped',
            `With the change the runner skips ${removedNames(skipped)}, which ran before. Remove the skip.`,
          ),
        ]
      : []),
  ]
}

const removedNames = (tests: readonly TestOfChange[]) =>
  tests.length === 1 && tests[0] ? `the test ${named(tests[0])}` : `${counted(tests.length, 'test')}: ${titles(tests)}`
