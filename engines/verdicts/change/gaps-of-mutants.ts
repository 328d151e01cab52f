import { testTitle } from '../own-tests.ts'
import { counted, isMutable } from '../worth.ts'
import { type Gap, gap } from './gap.ts'
import type { Observed } from './judgement.ts'
import { judgedMutantsInWords, judgedOf, sharesInWords } from './mutant-counts.ts'
import { isWithinBound, judgedMutants } from './mutants.ts'
import { restoringSurvivors } from './restored-code.ts'
import { adviceOnSurvivors, quotedCode, titles } from './sentences.ts'
import type { TestOfChange } from './tests-of-change.ts'

/** The tests fail without the change only because something that they use does not exist there. */
export function unassertedProof(observed: Observed, proofs: readonly TestOfChange[]): Gap[] {
  const { facts, lines } = observed
  const { mutation } = facts
  const { judged, detected, detectedBy, counts } = judgedMutants(mutation)
  if (facts.notRun.includes('mutants')) return []
  if (judged > 0 && detected === 0) return [nothingDetected(observed)]
  const lacks = `without the change only because the code lacks what ${proofs.length === 1 ? 'it uses' : 'they use'}`
  if (detected > 0) {
    const isDetecting = ({ head }: TestOfChange) => head !== null && detectedBy.has(testTitle(head.example))
    if (proofs.some(isDetecting)) return []
    return [
      gap(
        'nothing_asserted',
        `${titles(proofs)} ${proofs.length === 1 ? 'fails' : 'fail'} ${lacks}, and ${proofs.length === 1 ? 'detects' : 'detect'} none of ${judgedMutantsInWords(counts)}. Only other tests do. Assert what the new code returns or changes.`,
      ),
    ]
  }
  const isMeasured = lines.patch !== null && lines.patch.lines > 0
  if (isMeasured && (mutation !== null || !changesMutable(observed))) return []
  return [
    gap(
      'nothing_asserted',
      `${titles(proofs)} ${proofs.length === 1 ? 'fails' : 'fail'} ${lacks}, and no mutants show that an assertion checks the result. Verify with \`mutants\` above 0.`,
    ),
  ]
}

export function nothingDetected({ facts, mutation }: Observed): Gap {
  const { counts } = judgedMutants(facts.mutation)
  return gap(
    'nothing_asserted',
    `The tests detect none of ${judgedMutantsInWords(counts)}, so they do not check what these lines do. ${adviceOnSurvivors(mutation?.survivors ?? [])}`.trim(),
  )
}

export function survivors({ facts, mutation }: Observed): Gap[] {
  if (mutation === null || isWithinBound(facts)) return []
  return [
    gap(
      'survivors',
      `${sharesInWords(mutation, ({ survived }) => survived)} ${mutation.survived === 1 ? 'survives' : 'survive'}. ${adviceOnSurvivors(mutation.survivors)}`,
    ),
  ]
}

/**
 * No survivor is free: a refactoring has no test that fails without it, so mutants are the only sign that the tests would
 * notice a difference, and the place of each survivor is one where they would not.
 */
export function survivorsOfRefactoring({ mutation }: Observed): Gap[] {
  if (mutation === null || mutation.survived === 0) return []
  return [
    gap(
      'survivors',
      `${sharesInWords(mutation, ({ survived }) => survived)} ${mutation.survived === 1 ? 'survives' : 'survive'}. ${adviceOnSurvivors(mutation.survivors)}`,
    ),
  ]
}

const shownPlaces = 3

/** Changed code of which no mutant could be tried, so that nothing shows what the tests notice of it. */
export function placesNotTried(observed: Observed): Gap[] {
  const { facts, lines, mutation } = observed
  if (facts.notRun.includes('mutants') || lines.canRun === false) return []
  const judged = mutation === null ? 0 : judgedOf(mutation)
  const isUnmeasured = lines.patch === null
  const noneTried = (advice: string) =>
    gap(
      'nothing_tried',
      `No mutants of the changed lines were tried${isUnmeasured ? ' and no coverage was measured' : ''}, so nothing shows that the tests would notice different behavior. ${advice}`,
    )
  const off = 'Verify with `mutants` above 0.'
  if (facts.places === undefined) {
    return judged === 0 && (isUnmeasured || (mutation === null && changesMutable(observed))) ? [noneTried(off)] : []
  }
  const { count, untried } = facts.places
  if (untried.length > 0) {
    const shown = untried.slice(0, shownPlaces).map(({ path, line, code }) => `${quotedCode(code)} in ${path}:${line}`)
    const more = untried.length > shownPlaces ? ` and ${counted(untried.length - shownPlaces, 'more place')}` : ''
    return [
      gap(
        'nothing_tried',
        `Assay could try no mutant of ${shown.join(', ')}${more}, neither of the new nor of the old code, so nothing shows that the tests would notice different behavior there. Leave this code as it was, or verify it as a change of its own with a test of what it does.`,
      ),
    ]
  }
  if (judged > 0) return []
  if (count > 0) return [noneTried(off)]
  return isUnmeasured ? [noneTried('Let the runner measure coverage, which shows that the tests run these lines.')] : []
}

/** The change altered this code, and no test shows that it made no difference. */
export function restored({ facts }: Observed): Gap[] {
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

export const changesMutable = ({ facts }: Observed) =>
  facts.files.some(({ kind, path }) => kind === 'code' && isMutable(path))
