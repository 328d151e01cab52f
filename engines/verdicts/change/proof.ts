import { counted } from '../worth.ts'
import { type Gap, gap } from './gap.ts'
import {
  additionsNotNoticed,
  alterationsNotNoticed,
  branchesNotTaken,
  codeAskingForTests,
  filesNotNoticed,
  linesNotRun,
  placesNotDetected,
  removalsNotNoticed,
  renamedNotLoaded,
} from './gaps-of-lines.ts'
import {
  nothingDetected,
  placesNotTried,
  restored,
  survivors,
  survivorsOfRefactoring,
  unassertedProof,
} from './gaps-of-mutants.ts'
import { ownFailures, removedTests, unknownFailures, whyNoProof, withoutTests } from './gaps-of-tests.ts'
import type { ChangeFacts } from './facts.ts'
import { type ChangeJudgement, judgement, type Observed } from './judgement.ts'
import { detectedOf, sharesInWords } from './mutant-counts.ts'
import { judgedMutants } from './mutants.ts'
import { isTelling, provesChange } from './proving-tests.ts'
import { adviceOnSurvivors, named, titles } from './sentences.ts'
import { supportGaps } from './support.ts'
import type { TestOfChange } from './tests-of-change.ts'

/** Judges a change whose tests all pass. */
export function judgeProof(observed: Observed): ChangeJudgement {
  const found = observed.facts.intent === 'same' ? gapsOfRefactoring(observed) : gapsOfChange(observed)
  const pending = notFinished(observed)
  const gaps = [...found, ...pending]
  const [first] = gaps
  if (first !== undefined) {
    const said = found.length > 0 ? found.slice(0, 2) : [soFar(observed), ...pending]
    return judgement(
      'unproved',
      first.reason,
      said.map(({ text }) => text).join(' '),
      gaps.map(({ text }) => text),
    )
  }
  return observed.facts.intent === 'same' ? provedSame(observed) : provedChange(observed)
}

const phases: Record<ChangeFacts['notRun'][number], string> = {
  without_change: 'the tests of the change without it',
  repeats: 'the repetition of tests, which shows flaky ones',
  mutants: 'the mutants of the changed lines',
}

/** Phases that did not run could still show that something is missing. */
function notFinished({ facts: { notRun } }: Observed): Gap[] {
  if (notRun.length === 0) return []
  const order = ['without_change', 'repeats', 'mutants'] as const
  const names = order.filter((phase) => notRun.includes(phase)).map((phase) => phases[phase])
  return [gap('not_finished', `Not run yet: ${names.join('; ')}.`)]
}

const soFar = (observed: Observed): Gap =>
  gap('not_finished', `So far everything speaks for the change, and nothing is missing. ${measures(observed)}`.trim())

function gapsOfChange(observed: Observed): Gap[] {
  const { tests } = observed
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
    ...codeAskingForTests(observed),
    ...linesNotRun(observed),
    ...filesNotNoticed(observed),
    ...removalsNotNoticed(observed),
    ...additionsNotNoticed(observed),
    ...alterationsNotNoticed(observed),
    ...placesNotDetected(observed),
    ...(isWeak ? unassertedProof(observed, proofs) : []),
    ...survivors(observed),
  ]
}

function gapsOfRefactoring(observed: Observed): Gap[] {
  const { tests, facts, sides } = observed
  const passing = tests.filter(({ transition }) => transition === 'passes_to_passes')
  const differing = tests.filter((test) => provesChange(test, observed) && isTelling(test))
  const isRunPending = facts.notRun.includes('without_change')
  const unknown = tests.filter(
    ({ isOfChange, withoutChange, head }) =>
      !isRunPending && isOfChange === 'changed' && withoutChange === 'not_run' && head?.status === 'passed',
  )
  const { judged, detected } = judgedMutants(facts.mutation)
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
            `The change edits ${titles(unknown)}, and no run shows whether ${unknown.length === 1 ? 'it passes' : 'they pass'} without it. Leave the tests as they were.`,
          ),
        ]
      : []),
    ...ownFailures(tests),
    ...unknownFailures(observed),
    ...supportGaps(observed),
    ...removedTests(observed),
    ...codeAskingForTests(observed),
    ...linesNotRun(observed),
    ...renamedNotLoaded(observed),
    ...(judged > 0 && detected === 0
      ? [nothingDetected(observed)]
      : [...restored(observed), ...survivorsOfRefactoring(observed)]),
    ...branchesNotTaken(observed),
    ...placesNotTried(observed),
  ]
}

const behaviorDiffers = (tests: readonly TestOfChange[]): Gap =>
  gap(
    'behavior_changed',
    `${titles(tests)} ${tests.length === 1 ? 'passes' : 'pass'} with the change and ${tests.length === 1 ? 'fails' : 'fail'} without it, so the behavior is not the same. Restore the behavior and the expectation, or verify with \`expect: change\`.`,
  )

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
  const run =
    patch && patch.lines > 0 ? [`Tests run ${patch.coveredLines} of ${counted(patch.lines, 'changed line')}.`] : []
  const shares = mutation === null ? '' : sharesInWords(mutation, detectedOf)
  const noticed = shares === '' ? [] : [`${run.length > 0 ? 'They' : 'The tests'} detect ${shares}.`]
  const left = mutation !== null && mutation.survived > 0 ? [adviceOnSurvivors(mutation.survivors)] : []
  return [...run, ...noticed, ...left].join(' ')
}
