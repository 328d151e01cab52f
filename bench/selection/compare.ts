import { posix } from 'node:path'
import { skipText } from '../../engines/selection/reason-text.ts'
import type { ReplayedCase } from './make-cases.ts'
import type { Outcome, TestRuns } from './run-tests.ts'
import type { Measured, Selector } from './selector.ts'

export interface Figures {
  cases: number
  red: number
  redFound: number
  redNoticed: number
  failing: number
  failingFound: number
  allRan: number
  files: number
  selected: number
  ms: number
  selectedMs: number
}

export const emptyFigures = (): Figures => ({
  cases: 0,
  red: 0,
  redFound: 0,
  redNoticed: 0,
  failing: 0,
  failingFound: 0,
  allRan: 0,
  files: 0,
  selected: 0,
  ms: 0,
  selectedMs: 0,
})

export interface Comparison {
  isRed: boolean
  failing: number
  missed: string[]
  whyAll: string | null
  files: number
  selected: number
  ms: number
  selectedMs: number
}

/**
 * Runs all tests of a case and compares those that it breaks with the selection. Undefined if the tests cannot run, or were
 * not run before and there is no time.
 */
export async function comparisonOf(
  { kind, base, head }: ReplayedCase,
  runs: TestRuns,
  selector: Selector,
  isTime: boolean,
  measured?: Measured,
): Promise<Comparison | undefined> {
  const get = async (commit: string, repeat = 0) =>
    runs.known(commit, repeat) ?? (isTime ? await runs.run(commit, repeat) : undefined)
  const outcome = await get(head)
  if (!outcome || outcome.problem !== null) return undefined
  const failed = failures(outcome)
  let broken: string[] = []
  if (failed.size > 0) {
    const before = await get(base)
    // A mutant is certain to be the cause. What a commit breaks is run again.
    const again = kind === 'mutant' ? outcome : await get(head, 1)
    if (!again || !before || again.problem !== null || before.problem !== null) return undefined
    const still = failures(again)
    const failedBefore = failures(before)
    broken = [...failed].filter((test) => still.has(test) && !failedBefore.has(test))
  }
  const selection = await selector.select(base, head, measured)
  const selected = new Set(selection.tests.map(({ file }) => file))
  const folders = new Set([...selected].map((file) => posix.dirname(file)))
  const isGo = [...selected, ...selection.skipped.map(({ file }) => file)].some((file) => file.endsWith('.go'))
  const runsTest = (file: string) => (isGo ? folders.has(folderOf(file)) : selected.has(file))
  const isChosen = (test: string) => selection.mode === 'all' || runsTest(test.split('\n')[0] ?? '')
  const whySkipped = (test: string) => {
    const found = selection.skipped.find(({ file }) => file === test.split('\n')[0])
    return found ? skipText(found.reason) : 'is not known'
  }
  const ms = outcome.tests.reduce((sum, [, , , own]) => sum + own, 0)
  const selectedMs = outcome.tests
    .filter(([file]) => selection.mode === 'all' || runsTest(file))
    .reduce((sum, [, , , own]) => sum + own, 0)
  return {
    isRed: broken.length > 0,
    failing: broken.length,
    missed: broken
      .filter((test) => !isChosen(test))
      .map((test) => `${test.replace('\n', ' ')}, which ${whySkipped(test)}`),
    whyAll: selection.whyAll,
    files: selection.counts.all,
    selected: selection.counts.selected,
    ms,
    selectedMs,
  }
}

const folderOf = (file: string) => (file.endsWith('.go') ? posix.dirname(file) : file === '' ? '.' : file)

const failures = ({ tests }: Outcome) =>
  new Set(tests.flatMap(([file, test, hasFailed]) => (hasFailed ? [`${file}\n${test}`] : [])))
