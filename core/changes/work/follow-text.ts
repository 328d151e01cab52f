import type { Mutant } from '../../../engines/mutation/mutant.ts'
import { otherText, withComment } from '../../../engines/mutation/other-text.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import type { ChangedFile } from '../../../engines/verdicts/change/facts.ts'
import type { RunOutcome } from '../../../engines/verdicts/outcome.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import { type Restriction, runSome, type Side, writeLayer } from './side.ts'

interface Texts {
  files: readonly ChangedFile[]
  /** Contents of the code files after and before the change. */
  sources: ReadonlyMap<string, string>
  sourcesBefore: ReadonlyMap<string, string>
}

/** The tests of the change on the code of the base. */
export interface WithoutChange {
  side: Side
  parts: ReadonlyMap<PlanPart, Restriction>
}

const codeOf = ({ files }: Texts) => files.filter(({ kind, change }) => kind === 'code' && change !== 'deleted')

/**
 * Creates a layer of the head in which the changed code has another text and does the same.
 *
 * @returns null if no file is in a language whose text can be changed safely
 */
export async function layerWithOtherText(
  side: Side,
  texts: Texts,
  mutants: ReadonlyMap<string, readonly Mutant[]>,
): Promise<string | null> {
  const contents = new Map<string, string>()
  for (const { path, before } of codeOf(texts)) {
    const source = texts.sources.get(path)
    if (source === undefined) continue
    const old = before === null ? '' : (texts.sourcesBefore.get(before) ?? '')
    const other = otherText(path, source, mutants.get(path) ?? [], old)
    if (other !== null) contents.set(path, other)
  }
  return contents.size === 0 ? null : writeLayer(side, contents)
}

/**
 * Runs the tests of the change on the code of the base once more, with the new code as comments in it.
 *
 * @param runs - the runs without these comments
 * @returns the titles of tests that pass only with them, because they look for a text
 */
export async function testsOfNewText(
  { side, parts }: WithoutChange,
  runs: readonly RunOutcome[],
  texts: Texts,
  wallMs: number,
): Promise<string[]> {
  const failing = titlesOf(runs, 'failed').difference(titlesOf(runs, 'passed'))
  const contents = new Map<string, string>()
  for (const { path, before } of codeOf(texts)) {
    const source = texts.sources.get(path)
    const old = before === null ? undefined : texts.sourcesBefore.get(before)
    if (before === null || source === undefined || old === undefined) continue
    const other = withComment(before, old, source)
    if (other !== null) contents.set(before, other)
  }
  if (failing.size === 0 || contents.size === 0) return []
  const layer = await writeLayer(side, contents)
  const outcomes: RunOutcome[] = []
  for (const [part, restriction] of parts) {
    outcomes.push(await runSome(side, part, restriction, { wallMs, layers: [layer] }))
  }
  const passing = titlesOf(outcomes, 'passed').difference(titlesOf(outcomes, 'failed'))
  return [...failing.intersection(passing)]
}

const titlesOf = (runs: readonly RunOutcome[], wanted: 'passed' | 'failed') =>
  new Set(runs.flatMap(({ cases }) => cases.filter(({ status }) => status === wanted).map(testTitle)))
