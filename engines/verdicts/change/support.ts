import type { OutcomeCase } from '../outcome.ts'
import { quotedLine } from '../sentences.ts'
import { counted } from '../worth.ts'
import type { Observed } from './judgement.ts'
import { type Gap, gap } from './gap.ts'
import { tellingKinds } from './proving-tests.ts'
import { named, titles } from './sentences.ts'
import type { TestOfChange } from './tests-of-change.ts'

/** Tests that pass only with the files of the change that the runner loads. */
interface Dependent {
  test: TestOfChange
  /** Null if no run without these files reported the test. */
  failure: OutcomeCase | null
}

const isTellingFailure = ({ status, kind }: OutcomeCase) => status === 'failed' && tellingKinds.has(kind ?? '')
const isTelling = ({ failure }: Dependent) => failure !== null && isTellingFailure(failure)

/** A test that such a file turns green proves nothing: the file may change what the runner reports. */
export function supportGaps(observed: Observed): Gap[] {
  const dependent = dependentTests(observed)?.filter(isTelling) ?? []
  const [first] = dependent
  if (first === undefined) return []
  const files = shown(observed.facts.support?.files ?? [])
  const others = dependent.slice(1).map(({ test }) => test)
  const more =
    others.length === 0 ? '' : ` The same holds for ${counted(others.length, 'more test')}: ${titles(others)}.`
  return [
    gap(
      'support_decides',
      `${named(first.test)} passes only with ${files} of the change. With the files of the base it fails: ${quotedLine(first.failure?.message ?? 'no reason is reported')}${more} Make it pass without the changed files, which can alter what the runner reports.`,
    ),
  ]
}

/** Returns a sentence about the changed files that the runner loads. */
export function supportRemarks(observed: Observed): string[] {
  const { files = [], kept = [] } = observed.facts.support ?? {}
  return [...(files.length > 0 ? remarksOnReplaced(observed, files) : []), ...(kept.length > 0 ? [notTried(kept)] : [])]
}

const introOf = (files: readonly string[]) =>
  `The change edits ${shown(files)}, which can alter what the runner reports.`
const notTried = (files: readonly string[]) => `${introOf(files)} Assay could not run the tests without these edits.`

function remarksOnReplaced(observed: Observed, files: readonly string[]): string[] {
  const intro = introOf(files)
  const dependent = dependentTests(observed)
  if (dependent === null) return [notTried(files)]
  const unclear = dependent.filter((one) => !isTelling(one)).map(({ test }) => test)
  if (unclear.length > 0) {
    return [
      `${intro} ${counted(unclear.length, 'test')} cannot run without these edits, so nothing else confirms ${unclear.length === 1 ? 'its result' : 'their results'}: ${titles(unclear)}.`,
    ]
  }
  return dependent.length > 0 ? [intro] : [`${intro} The tests that pass with these edits also pass without them.`]
}

const maxShown = 3

function shown(files: readonly string[]): string {
  const more = files.length > maxShown ? ` and ${files.length - maxShown} more` : ''
  return `${files.slice(0, maxShown).join(', ')}${more}`
}

/** Returns the passing tests that fail in every run without these files, or do not run there; null if nothing ran. */
function dependentTests({ facts: { support }, tests }: Observed): Dependent[] | null {
  const runs = (support?.runs ?? []).filter(({ cases }) =>
    cases.some((found) => found.status === 'passed' || isTellingFailure(found)),
  )
  if (runs.length === 0) return null
  const byTitle = runs.map(({ cases }) => Map.groupBy(cases, titleOf))
  return tests.flatMap((test): Dependent[] => {
    const example = test.head?.status === 'passed' ? test.head.example : null
    if (example === null) return []
    const results = byTitle.map((cases) => cases.get(titleOf(example)) ?? [])
    const failures = results.map((cases) => cases.find(({ status }) => status === 'failed'))
    if (results.every((cases) => cases.length === 0)) return [{ test, failure: null }]
    if (failures.includes(undefined)) return []
    return [{ test, failure: failures.find((failure) => failure !== undefined) ?? null }]
  })
}

const titleOf = ({ suite, name }: OutcomeCase) => `${suite}\0${name}`
