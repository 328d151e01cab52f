import { adviceOn, counted, isMutable } from '../worth.ts'
import { lastingProblem } from './failures-of-head.ts'
import { goneTests } from './gone-tests.ts'
import { type ChangeJudgement, judgement, type Observed } from './judgement.ts'
import { isWithinBound, judgedMutants } from './mutants.ts'
import { restoringSurvivors } from './restored-code.ts'
import { named, ranges, titles } from './sentences.ts'
import { supportGaps } from './support.ts'
import type { TestOfChange } from './tests-of-change.ts'

/** Percent of the changed lines that tests must run. The rest leaves room for errors that are hard to provoke. */
export const minCoveredPercent = 80
/** A longer range that no test runs is a whole function or branch, which a percentage of a large change would hide. */
export const maxUncoveredLines = 10

/** What is missing for `proved`. */
interface Gap {
  reason: string
  text: string
}

const noTest = 'No test detects'

const tellingKinds = new Set(['assertion', 'crash_in_code', 'timeout'])

/** Judges a change whose tests all pass. */
export function judgeProof(observed: Observed): ChangeJudgement {
  const gaps = observed.facts.intent === 'same' ? gapsOfRefactoring(observed) : gapsOfChange(observed)
  const [first] = gaps
  if (first !== undefined) {
    return judgement(
      'unproved',
      first.reason,
      gaps
        .slice(0, 2)
        .map(({ text }) => text)
        .join(' '),
      gaps.map(({ text }) => text),
    )
  }
  return observed.facts.intent === 'same' ? provedSame(observed) : provedChange(observed)
}

/** Whether the test fails without the change and passes with it. */
export function provesChange(test: TestOfChange, { facts: { files } }: Observed): boolean {
  if (test.head?.status !== 'passed') return false
  const { withoutChange, isOfChange, transition } = test
  if (withoutChange === 'fails') return true
  if (withoutChange === 'not_built') return isOfChange !== null
  if (withoutChange === 'passes' || transition !== 'fails_to_passes') return false
  // Without a run on the base's code, a changed test or fixture may be the reason why the test passes now.
  const isTouched = isOfChange !== null || files.some(({ path, kind }) => path === test.file || kind === 'test_support')
  return !isTouched
}

/** Whether the failure without the change says that the behavior differs, not that something does not exist yet. */
const isTelling = ({ withoutChange, withoutChangeFailure, base }: TestOfChange): boolean => {
  if (withoutChange === 'fails')
    return withoutChangeFailure === null || tellingKinds.has(withoutChangeFailure.kind ?? '')
  return withoutChange === 'not_run' && tellingKinds.has(base?.example.kind ?? '')
}

function gapsOfChange(observed: Observed): Gap[] {
  const { tests, facts } = observed
  const proofs = tests.filter((test) => provesChange(test, observed))
  const noProof = proofs.length === 0 ? whyNoProof(observed) : []
  const isWeak = proofs.length > 0 && !proofs.some(isTelling)
  return [
    ...withoutTests(observed),
    ...noProof,
    ...ownFailures(tests),
    ...unknownFailures(observed),
    ...supportGaps(observed),
    ...removedTests(observed),
    ...linesNotRun(observed),
    ...(isWeak ? unassertedProof(observed, proofs) : []),
    ...survivors(observed),
    ...(facts.notRun.includes('repeats') ? [notRepeated] : []),
  ]
}

function gapsOfRefactoring(observed: Observed): Gap[] {
  const { tests, facts, sides, lines, mutation } = observed
  const passing = tests.filter(({ transition }) => transition === 'passes_to_passes')
  const differing = tests.filter((test) => provesChange(test, observed) && isTelling(test))
  const unknown = tests.filter(
    ({ isOfChange, withoutChange, head }) =>
      isOfChange === 'changed' && withoutChange === 'not_run' && head?.status === 'passed',
  )
  const { judged, detected } = judgedMutants(mutation)
  const isPending = facts.notRun.includes('mutants')
  const canRun = lines.canRun !== false
  return [
    ...withoutTests(observed),
    ...(differing.length > 0 ? [behaviorDiffers(differing)] : []),
    ...(passing.length === 0 && sides.isBaseKnown
      ? [
          gap(
            'no_test_before',
            'No test passes both before and after the change, so nothing shows that the behavior is the same. Write tests of the code as it was, then change it.',
          ),
        ]
      : []),
    ...(!sides.isBaseKnown
      ? [
          gap(
            'base_unknown',
            'The results of the tests without the change are not known, so nothing shows that the behavior is the same.',
          ),
        ]
      : []),
    ...(unknown.length > 0
      ? [
          gap(
            'without_change_not_run',
            `The change edits ${titles(unknown)}, and no run shows whether ${unknown.length === 1 ? 'it passes' : 'they pass'} without it. Verify again with a larger budget, or leave the tests as they were.`,
          ),
        ]
      : []),
    ...ownFailures(tests),
    ...unknownFailures(observed),
    ...supportGaps(observed),
    ...removedTests(observed),
    ...linesNotRun(observed),
    ...(judged > 0 && detected === 0 ? [nothingDetected(observed)] : [...restored(observed), ...survivors(observed)]),
    ...(judged === 0 &&
    canRun &&
    !isPending &&
    (lines.patch === null || (mutation === null && changesMutable(observed)))
      ? [
          gap(
            'nothing_tried',
            `No mutants of the changed lines were tried${lines.patch === null ? ' and no coverage was measured' : ''}, so nothing shows that the tests would notice different behavior. Verify with \`mutants\` above 0.`,
          ),
        ]
      : []),
    ...(facts.notRun.includes('repeats') ? [notRepeated] : []),
  ]
}

const gap = (reason: string, text: string): Gap => ({ reason, text })

const notRepeated = gap(
  'not_repeated',
  'The budget left no time to repeat the tests, so a flaky one would not be noticed. Wait for the final verdict, or verify again with a larger budget.',
)

function withoutTests({ tests, sides }: Observed): Gap[] {
  if (tests.some(({ head }) => head?.status === 'passed') || sides.unknown > 0) return []
  return [gap('no_tests', 'No test passes with the change. Write tests of the changed code.')]
}

function whyNoProof({ tests, facts, sides, lines }: Observed): Gap[] {
  const own = tests.filter(({ isOfChange, head }) => isOfChange !== null && head?.status === 'passed')
  const passing = own.filter(({ withoutChange }) => withoutChange === 'passes')
  const unknown = own.filter(({ withoutChange }) => withoutChange === 'not_run')
  const place = changedPlace(facts.files.filter(({ kind }) => kind === 'code'))
  const same = 'If the behavior is meant to stay the same, verify with `expect: same`.'
  if (lines.canRun === false) {
    return [
      gap(
        'no_executable_lines',
        `No test fails without the change, and the coverage names none of the changed lines: they are comments, declarations or parts of longer statements. ${same}`,
      ),
    ]
  }
  if (unknown.length > 0) {
    const why = facts.notRun.includes('without_change')
      ? 'because the budget left no time for it. Wait for the final verdict, or verify again with a larger budget.'
      : 'because no run of the tests on the code of the base reported them.'
    return [
      gap(
        'without_change_not_run',
        `It is not known whether ${titles(unknown)} ${unknown.length === 1 ? 'fails' : 'fail'} without the change, ${why}`,
      ),
      ...passesWithout(passing),
    ]
  }
  if (passing.length > 0) {
    return [
      gap(
        'passes_without_it',
        `No test fails without the change. ${titles(passing)} ${passing.length === 1 ? 'passes' : 'pass'} without it too, which proves nothing about the change. Assert what the change makes different${place}. ${same}`,
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
  return [gap('no_test_fails_without_it', `No test fails without the change, and ${seen}. ${same}`)]
}

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

function ownFailures(tests: readonly TestOfChange[]): Gap[] {
  const failing = tests.filter(({ transition, isOfChange }) => transition === 'fails_both' && isOfChange !== null)
  if (failing.length === 0) return []
  return [
    gap(
      'own_test_fails',
      `The change edits ${titles(failing)}, which ${failing.length === 1 ? 'fails' : 'fail'} before and after it. Make ${failing.length === 1 ? 'it' : 'them'} pass.`,
    ),
  ]
}

function unknownFailures({ tests, sides, facts }: Observed): Gap[] {
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

function removedTests(observed: Observed): Gap[] {
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

function linesNotRun({ lines: { patch, longestUncovered, notLoaded } }: Observed): Gap[] {
  if (patch === null) return []
  const { lines, coveredLines, uncovered } = patch
  const gaps: Gap[] = []
  const isLow = coveredLines * 100 < lines * minCoveredPercent
  if (isLow || longestUncovered > maxUncoveredLines) {
    gaps.push(
      gap(
        'lines_not_run',
        `Tests run ${coveredLines} of ${counted(lines, 'changed line')}. Nothing runs ${ranges(uncovered)}. Test these lines.`,
      ),
    )
  }
  if (notLoaded.length > 0) {
    const shown = notLoaded.slice(0, 3).join(', ')
    const more = notLoaded.length > 3 ? ` and ${notLoaded.length - 3} more` : ''
    gaps.push(
      gap('file_not_loaded', `No test loads ${shown}${more}, which the change adds or modifies. Test this code.`),
    )
  }
  return gaps
}

/** The tests fail without the change only because something that they use does not exist there. */
function unassertedProof(observed: Observed, proofs: readonly TestOfChange[]): Gap[] {
  const { mutation, facts, lines } = observed
  const { judged, detected } = judgedMutants(mutation)
  if (detected > 0 || facts.notRun.includes('mutants')) return []
  if (judged > 0) return [nothingDetected(observed)]
  const isMeasured = lines.patch !== null && lines.patch.lines > 0
  if (isMeasured && (mutation !== null || !changesMutable(observed))) return []
  return [
    gap(
      'nothing_asserted',
      `${titles(proofs)} ${proofs.length === 1 ? 'fails' : 'fail'} without the change only because the code lacks what ${proofs.length === 1 ? 'it uses' : 'they use'}, and no mutants show that an assertion checks the result. Verify with \`mutants\` above 0.`,
    ),
  ]
}

function nothingDetected({ mutation }: Observed): Gap {
  const { judged } = judgedMutants(mutation)
  return gap(
    'nothing_asserted',
    `The tests detect none of ${counted(judged, 'mutant')} of the changed lines, so they do not check what these lines do. ${adviceOn(mutation?.survivors ?? [], noTest)}`.trim(),
  )
}

function survivors({ mutation }: Observed): Gap[] {
  if (mutation === null || isWithinBound(mutation)) return []
  const { judged } = judgedMutants(mutation)
  return [
    gap(
      'survivors',
      `${mutation.survived} of ${counted(judged, 'mutant')} of the changed lines ${mutation.survived === 1 ? 'survives' : 'survive'}. ${adviceOn(mutation.survivors, noTest)}`,
    ),
  ]
}

/** The change altered this code, and no test shows that it made no difference. */
function restored({ facts }: Observed): Gap[] {
  const restoring = restoringSurvivors(facts)
  const [first] = restoring
  if (first === undefined) return []
  const { path, line, original, replacement } = first
  const more = restoring.length > 1 ? ` The same holds for ${counted(restoring.length - 1, 'more mutant')}.` : ''
  return [
    gap(
      'old_code_passes_too',
      `The change replaces \`${replacement}\` with \`${original}\` in ${path}:${line}, and the tests pass with either, so they do not show that both behave the same. Restore the old code, or test where they could differ.${more}`,
    ),
  ]
}

const behaviorDiffers = (tests: readonly TestOfChange[]): Gap =>
  gap(
    'behavior_changed',
    `${titles(tests)} ${tests.length === 1 ? 'passes' : 'pass'} with the change and ${tests.length === 1 ? 'fails' : 'fail'} without it, so the behavior is not the same. Restore the behavior and the expectation, or verify with \`expect: change\`.`,
  )

const changesMutable = ({ facts }: Observed) => facts.files.some(({ kind, path }) => kind === 'code' && isMutable(path))

function provedChange(observed: Observed): ChangeJudgement {
  const proofs = observed.tests.filter((test) => provesChange(test, observed))
  const [first] = proofs.filter(isTelling).concat(proofs)
  const which = first === undefined ? '' : named(first)
  const count = proofs.length > 1 ? ` and ${counted(proofs.length - 1, 'more test')}` : ''
  return judgement(
    'proved',
    'fails_without_the_change',
    `${which}${count} ${proofs.length > 1 ? 'fail' : 'fails'} without the change and ${proofs.length > 1 ? 'pass' : 'passes'} with it. Nothing is broken. ${measures(observed)}`.trim(),
  )
}

function provedSame(observed: Observed): ChangeJudgement {
  const passing = observed.tests.filter(({ transition }) => transition === 'passes_to_passes').length
  return judgement(
    'proved',
    'behaves_the_same',
    `${counted(passing, 'test')} ${passing === 1 ? 'passes' : 'pass'} before and after the change, and nothing is broken. ${measures(observed)}`.trim(),
  )
}

function measures({ lines: { patch }, mutation }: Observed): string {
  const { judged, detected } = judgedMutants(mutation)
  const run =
    patch && patch.lines > 0 ? [`Tests run ${patch.coveredLines} of ${counted(patch.lines, 'changed line')}.`] : []
  const noticed = judged > 0 ? [`They detect ${detected} of ${counted(judged, 'mutant')} of the changed lines.`] : []
  const left = mutation !== null && mutation.survived > 0 ? [adviceOn(mutation.survivors, noTest)] : []
  return [...run, ...noticed, ...left].join(' ')
}
