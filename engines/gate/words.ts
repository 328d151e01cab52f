import type { Share } from '../coverage/coverage.ts'
import { countRanges } from '../coverage/ranges.ts'
import type { GateFacts, NamedTest } from './facts.ts'
import { type PatchCoverage, shownPercent } from './patch-coverage.ts'
import type { Target } from './policy.ts'
import type { CoverageTrend } from './trend.ts'

type Said = [text: string, fix: string]

const maxNamed = 3

export const counted = (count: number, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/** `79.9 %` */
export const percentText = (percent: number) => `${shownPercent(percent)} %`

/** `a, b, c and 2 more` */
export function listed(names: readonly string[], total = names.length): string {
  const shown = names.slice(0, maxNamed)
  const more = total - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more.toLocaleString('en')} more`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

function namesOf(tests: readonly NamedTest[], total: number): string {
  const isShared = ({ testId }: NamedTest) => tests.filter((other) => other.testId === testId).length > 1
  return listed(
    tests.map((test) => {
      const { suite, name, variant } = test
      const title = (suite === '' ? name : `${suite} › ${name}`).replace(/\s+/g, ' ')
      return variant !== '' && isShared(test) ? `${title} (${variant})` : title
    }),
    total,
  )
}

export const incomparable = (why: string): Said => [
  `The change cannot be compared with its base: ${why}`,
  'Push the commit and its base to the repository of the project, or name another base.',
]

export const runWithoutResult = (message: string, count: number): Said => [
  `${count === 1 ? 'A run' : counted(count, 'run')} of the commit has no result: ${message}`,
  'Repeat the run, or upload the reports of the tests.',
]

export const openRuns = (count: number): Said => [
  `${counted(count, 'run')} of the commit ${count === 1 ? 'is' : 'are'} not finished.`,
  'Wait for the end of the run.',
]

export const noRun = (): Said => [
  'No test has run on the commit yet.',
  'Run the tests with `assay run`, or upload the reports of CI with `assay upload`.',
]

export const endedRuns = (count: number) => `${counted(count, 'run')} of the commit ended with a result.`

export const missingUploads = (missing: readonly string[]) => ({
  text: `${missing.length === 1 ? 'An upload is' : 'Uploads are'} missing: ${listed(missing)}.`,
  fix: `Upload ${listed(missing.map((name) => `with \`--name ${name}\``))}, or say \`assay upload --done\` when no more will come.`,
})

export const fewUploads = (count: number, expected: number) => ({
  text: `${count} of ${counted(expected, 'upload')} arrived.`,
  fix: 'Upload the rest, or say `assay upload --done` when no more will come.',
})

export const notDone = (count: number) => ({
  text: `${counted(count, 'upload')} arrived, and CI has not said that there are no more.`,
  fix: 'End the last CI job with `assay upload --done`.',
})

export const allUploads = (count: number) => `All expected uploads arrived (${count}).`

/** @param missing - what had not arrived, a sentence */
export const endedEarly = (missing: string) => `CI said that no more uploads come. ${missing}`

export const newFailures = ({ fresh, freshCount }: GateFacts['failures']): Said => [
  `${counted(freshCount, 'test')} ${freshCount === 1 ? 'fails' : 'fail'} with the change: ${namesOf(fresh, freshCount)}.`,
  `Fix what ${freshCount === 1 ? 'it finds' : 'they find'}; \`assay failures\` shows each with its error. A test that also fails without the change can be muted with \`assay quarantine\`.`,
]

export function noNewFailures({ known, muted }: GateFacts['failures']): string {
  const rest = [
    known > 0 ? `${counted(known, 'test')} failed before the change, too` : '',
    muted > 0 ? `${counted(muted, 'failure')} ${muted === 1 ? 'is' : 'are'} muted` : '',
  ].filter(Boolean)
  return rest.length === 0 ? 'No test fails.' : `No test fails because of the change: ${rest.join(', and ')}.`
}

export const newFlaky = ({ fresh, freshCount }: GateFacts['flaky']): Said => [
  `${counted(freshCount, 'test')} both failed and passed on this commit: ${namesOf(fresh, freshCount)}.`,
  'Make the test independent of time, order and other tests; `assay tests confirm` repeats it as proof.',
]

export const unknownLines = (paths: readonly string[]): Said => [
  `Coverage was measured on another version of ${listed(paths)}, so that nothing is known of some changed lines.`,
  'Upload the coverage of the head commit, or of its merge with the target branch.',
]

export function nothingToCover(withCoverage: number, { files }: PatchCoverage): string {
  if (withCoverage === 0) return 'No run of the commit measured coverage.'
  return files.some(({ state }) => state === 'unmeasured')
    ? 'No report names a changed line.'
    : 'The change contains no line that a test could run.'
}

export const noBaseCoverage = (percent: number) =>
  `${percentText(percent)} covered. No commit of the base was measured, so there is nothing to compare with.`

const linesText = ({ covered, total }: Share) =>
  `${covered.toLocaleString('en')} of ${counted(total, 'changed line')} ${covered === 1 || total === 1 ? 'is' : 'are'} covered`

const wantedText = (wanted: number, target: Target) =>
  target === 'auto' ? `the project has ${percentText(wanted)}` : `the goal is ${wanted} %`

export const patchPassed = (share: Share, percent: number, wanted: number, target: Target) =>
  `${linesText(share)} (${percentText(percent)}; ${wantedText(wanted, target)}).`

export function patchFailed(
  share: Share,
  percent: number,
  wanted: number,
  { target, tolerance, patch }: { target: Target; tolerance: number; patch: PatchCoverage },
): Said {
  const missing = Math.max(1, Math.ceil(((wanted - tolerance) / 100) * share.total - share.covered - 1e-9))
  const allowed = tolerance === 0 ? '' : `, ${tolerance} points less are allowed`
  return [
    `${linesText(share)} (${percentText(percent)}; ${wantedText(wanted, target)}${allowed}).`,
    `Cover ${wayTo(missing, share)}: ${places(patch)}.`,
  ]
}

function wayTo(missing: number, { covered, total }: Share): string {
  if (missing < total - covered) return counted(missing, 'more line')
  return missing === 1 ? 'the uncovered line' : `all ${missing} uncovered lines`
}

export const fewUncovered = (count: number, maximum: number) =>
  `${counted(count, 'changed line')} ${count === 1 ? 'is' : 'are'} uncovered (at most ${maximum}).`

export const manyUncovered = (count: number, maximum: number, patch: PatchCoverage): Said => [
  `${counted(count, 'changed line')} ${count === 1 ? 'is' : 'are'} uncovered; at most ${maximum} may be.`,
  `Cover ${counted(count - maximum, 'more line')}: ${places(patch)}.`,
]

/** The files with most uncovered lines: `src/a.ts:4-9`. */
function places({ files }: PatchCoverage): string {
  const missed = files
    .map(({ path, uncovered, partial }) => ({
      path,
      first: uncovered[0] ?? (partial[0] ? ([partial[0].line, partial[0].line] as const) : undefined),
      count: countRanges(uncovered) + partial.length,
    }))
    .filter(({ first }) => first !== undefined)
    .toSorted((a, b) => b.count - a.count)
  return listed(
    missed.map(({ path, first = [0, 0] }) => `${path}:${first[0] === first[1] ? first[0] : first.join('-')}`),
    missed.length,
  )
}

export function unmeasured(paths: readonly string[], { prefixes, runs }: GateFacts): { text: string; fix: string } {
  const [prefix] = prefixes
  const text = `No report names ${counted(paths.length, 'changed file')} with code: ${listed(paths)}.`
  if (runs.withCoverage === 0) {
    const fix = 'Upload a report of coverage with the results, such as `assay upload junit.xml coverage/lcov.info`.'
    return { text, fix }
  }
  if (!prefix) return { text, fix: 'Let a test load the file, or add it to `ignore` if it is not meant to be tested.' }
  const set = JSON.stringify({ report: prefix.report, repository: prefix.repository })
  return { text, fix: `The reports name files elsewhere. Add ${set} to \`pathPrefixes\` of the gate.` }
}

export const noProof = (): Said => [
  'Nobody has verified the change yet.',
  'Run `assay verify --change`, or let the agent call `verify_change`.',
]

export const notProved = (verdict: string): Said => [
  `The verdict on the change is \`${verdict}\`, not \`proved\`.`,
  'Add a test that fails without the change, then verify it again.',
]

export const noMutants = (): Said => [
  'Nobody has measured yet whether tests notice changes of the changed lines.',
  'Run `assay verify --change`, or let the agent call `verify_change`.',
]

const mutantsText = ({ killed, total }: { killed: number; total: number }, percent: number) =>
  `Tests notice ${killed} of ${counted(total, 'small change')} of the changed lines (${percentText(percent)}`

export const mutantsPassed = (mutants: { killed: number; total: number }, percent: number, wanted: number) =>
  `${mutantsText(mutants, percent)}; the goal is ${wanted} %).`

export const mutantsFailed = (mutants: { killed: number; total: number }, percent: number, wanted: number): Said => [
  `${mutantsText(mutants, percent)}; the goal is ${wanted} %).`,
  'Assert what the changed lines compute; `assay weak` shows which changes no test notices.',
]

const signed = (points: number) => `${points < 0 ? '−' : '+'}${(Math.abs(points) + 1e-9).toFixed(1)} points`

function trendText(trend: CoverageTrend | null): string {
  if (!trend) return ''
  const removed =
    Math.abs(trend.fromRemoved) < 0.05 ? '' : `, of which ${signed(trend.fromRemoved)} because code was removed`
  return `, ${signed(trend.change)} against ${percentText(trend.base)}${removed}`
}

export const projectPassed = (head: number, trend: CoverageTrend | null) =>
  `The project is covered by ${percentText(head)}${trendText(trend)}.`

export const projectFailed = (
  head: number,
  wanted: number,
  { tolerance, trend }: { tolerance: number; trend: CoverageTrend | null },
): Said => [
  `The project is covered by ${percentText(head)}${trendText(trend)}; at least ${percentText(wanted - tolerance)} is wanted.`,
  'Cover more lines than the change leaves uncovered.',
]
