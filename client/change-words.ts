import type { Change } from '../core/changes/schema.ts'
import { mutantsInWords } from '../engines/verdicts/change/mutant-counts.ts'
import type {
  ChangedTest,
  ChangeEvidence,
  PatchCoverage,
  TestTransition,
  WithoutChange,
} from '../engines/verdicts/change/schema.ts'
import { counted } from '../engines/verdicts/worth.ts'
import { type Audience, inWordsOf } from './procedure-names.ts'
import { cleanLine, cleanName, cleanText, shorten } from './sanitize.ts'

/** The part of the evidence that the author of a change needs for the next step. All text of strangers in it is clean. */
export interface ChangeDigest {
  /** The reason of the verdict as a code, and in sentences. */
  reason: string
  summary: string
  /** Tests that are broken, new and failing, or flaky. */
  failing: { transition: TestTransition; test: string; place: string | null; cause: string | null }[]
  /** What is missing for `proved` and not in the summary, most important first. */
  missing: string[]
  /** Tests of the change that pass without it. */
  passWithoutChange: string[]
  /** Tests of the change that fail without it. */
  failWithoutChange: string[]
  /** Changed lines that no test runs. */
  unproved: { place: string; code: string; cases: string[] }[]
  /** Small changes of the changed lines that no test notices. */
  survivors: { place: string; original: string; replacement: string }[]
  /** Null for a change without code that needs no run. */
  tests: string | null
  coverage: string | null
  mutants: string | null
  /** The end of the output of the deciding run, where it explains the verdict. */
  output: string | null
  /** What the budget has left out. */
  notRun: ChangeEvidence['notRun']
  warnings: string[]
  command: string | null
  /** "... and 7 more failing tests, 12 more survivors"; null if nothing is left out. */
  more: string | null
}

interface Limits {
  items: number
  lineBytes: number
  codeBytes: number
  nameBytes: number
  outputBytes: number
}

const limitsFor = (share: number): Limits => ({
  items: Math.max(1, Math.round(5 * share)),
  lineBytes: Math.max(60, Math.round(300 * Math.min(share, 3))),
  codeBytes: Math.max(40, Math.round(240 * Math.min(share, 3))),
  nameBytes: Math.max(40, Math.round(160 * Math.min(share, 3))),
  outputBytes: Math.max(100, Math.round(900 * share)),
})

/** The first ones are for callers with much room. */
const shares = [8, 5, 3, 2, 1.5, 1, 0.8, 0.6, 0.4, 0.2]

/**
 * Returns what a change's author needs for the next step, within a number of bytes as JSON. Shortens every part alike, and
 * says what it leaves out.
 */
export function changeDigest(
  { verdict, intent }: Pick<Change, 'verdict' | 'intent'>,
  evidence: ChangeEvidence,
  { maxBytes, audience }: { maxBytes: number; audience: Audience },
): ChangeDigest {
  let digest: ChangeDigest | undefined
  for (const share of shares) {
    digest = digestWithin(limitsFor(share), { verdict, intent }, evidence, audience)
    if (costOf(digest) <= maxBytes) break
  }
  if (digest === undefined) throw new Error('there are no limits')
  return digest
}

/** A tokenizer knows few words of other scripts and of punctuation, so that one of their characters can be a token or more. */
function costOf(digest: ChangeDigest): number {
  const json = JSON.stringify(digest)
  const bytes = Buffer.byteLength(json)
  const foreign = json.match(/[^\p{ASCII}]/gu)?.length ?? 0
  const marks = json.match(/[!-/:-@[-`{-~]/g)?.length ?? 0
  return bytes + 4 * foreign + 2 * Math.max(0, marks - bytes / 4)
}

function digestWithin(
  { items, lineBytes, codeBytes, nameBytes, outputBytes }: Limits,
  { verdict, intent }: Pick<Change, 'verdict' | 'intent'>,
  evidence: ChangeEvidence,
  audience: Audience,
): ChangeDigest {
  const { tests, patch, mutation, counts } = evidence
  const prose = (text: string, bytes = lineBytes) => shorten(cleanLine(inWordsOf(audience, text)), bytes)
  const name = (text: string, bytes = nameBytes) => shorten(cleanName(text), bytes)
  const title = (test: ChangedTest) => shorten(cleanLine(test.test), nameBytes)
  const failing = tests.filter(({ transition }) => seriousTransitions.includes(transition))
  const ofChange = tests.filter(({ isOfChange }) => isOfChange !== null)
  const steady = ofChange.filter(({ transition }) => !seriousTransitions.includes(transition))
  // A refactoring needs no test that fails without it.
  const passing = intent === 'same' ? [] : steady.filter(({ withoutChange }) => withoutChange === 'passes')
  const proving = steady.filter(({ withoutChange }) => withoutChange === 'fails' || withoutChange === 'not_built')
  const survivors = mutation?.survivors ?? []
  const uncovered = patch?.uncovered ?? []
  const allFailing = seriousTransitions.reduce((sum, transition) => sum + (counts[transition] ?? 0), 0)
  const shownNames = items + 1
  const summary = prose(evidence.summary, 2 * lineBytes)
  const isSaid = (one: string) => summary.includes(one.endsWith('…') ? one.slice(0, -1) : one)
  const needsNoRun = verdict === 'no_code_changed' && [evidence.base, evidence.head].every(isNotRun)
  const warnings = evidence.warnings.filter((one) => !needsNoRun || !saysNotRun.test(one))
  const missing = evidence.missing.map((one) => prose(one)).filter((one) => !isSaid(one))
  return {
    reason: name(evidence.reason, 60),
    summary,
    failing: failing.slice(0, items).map((test) => ({
      transition: test.transition,
      test: title(test),
      place: placeOfTest(test, nameBytes),
      cause: test.failure?.message ? prose(test.failure.message) : null,
    })),
    missing: missing.slice(0, items),
    passWithoutChange: passing.slice(0, shownNames).map(title),
    failWithoutChange: proving.slice(0, Math.ceil(items / 2)).map(title),
    unproved: uncovered.slice(0, items).map(({ path, startLine, endLine, code, cases }) => ({
      place: `${name(path)}:${startLine}${endLine === startLine ? '' : `-${endLine}`}`,
      code: shorten(cleanText(code).trimEnd(), codeBytes),
      cases: cases.slice(0, 3).map((one) => shorten(cleanLine(one), nameBytes)),
    })),
    survivors: survivors.slice(0, items).map(({ path, line, original, replacement, isInOldCode }) => ({
      place: `${name(path)}:${line}${isInOldCode ? ' in the old code' : ''}`,
      original: shorten(cleanLine(original), codeBytes / 2),
      replacement: shorten(cleanLine(replacement), codeBytes / 2),
    })),
    // Tools have the names in fields of their own.
    tests: needsNoRun
      ? null
      : [...ofChangeInWords(tests, audience === 'commands' ? title : null), testsInWords(evidence)].join('; '),
    coverage: patch && coverageInWords(patch, (path) => name(path), items),
    mutants: mutation && mutantsInWords(mutation),
    output:
      explainsOutput(verdict, evidence) && evidence.output !== ''
        ? endOf(lastLines(cleanText(evidence.output), outputLines[audience]), outputBytes)
        : null,
    notRun: evidence.notRun,
    warnings: warnings.slice(0, Math.ceil(items / 2)).map((one) => prose(one)),
    command: evidence.command === null ? null : shorten(cleanLine(evidence.command), Math.max(120, lineBytes)),
    more: moreInWords([
      [Math.max(allFailing, failing.length) - Math.min(failing.length, items), 'failing test'],
      [missing.length - items, 'missing proof'],
      [passing.length - shownNames, 'test that passes without the change', 'tests that pass without the change'],
      [uncovered.length - items, 'unproved range'],
      [Math.max(mutation?.survived ?? 0, survivors.length) - Math.min(survivors.length, items), 'survivor'],
      [warnings.length - Math.ceil(items / 2), 'warning'],
    ]),
  }
}

const isNotRun = ({ outcome }: ChangeEvidence['head']) => outcome === 'not_run'
const saysNotRun = /^The tests did not run without the change/

const seriousTransitions: readonly TestTransition[] = ['broken', 'new_failing', 'flaky']

const explainsOutput = (verdict: Change['verdict'], { reason }: ChangeEvidence) =>
  verdict === 'not_built' || reason === 'install_failed'

function placeOfTest({ file, line, failure }: ChangedTest, nameBytes: number): string | null {
  const [path, at] = failure?.file ? [failure.file, failure.line] : [file, line]
  return path === null ? null : `${shorten(cleanName(path), nameBytes)}${at === null ? '' : `:${at}`}`
}

const onOldCode = [
  ['fails', 'fails on the old code and passes on the new', 'fail on the old code and pass on the new'],
  [
    'not_built',
    'cannot be loaded on the old code and passes on the new',
    'cannot be loaded on the old code and pass on the new',
  ],
  ['passes', 'passes on the old code too', 'pass on the old code too'],
  ['not_run', 'has no result on the old code', 'have no result on the old code'],
] as const satisfies readonly (readonly [WithoutChange, one: string, several: string])[]

const passingTransitions: readonly TestTransition[] = ['fails_to_passes', 'passes_to_passes', 'new_passing']
/** The evidence has no more tests. */
const maxTests = 200
const maxNamed = 3

/**
 * Says what the new and changed tests that pass now do on the code of the base: "the new test `rounds` fails on the old
 * code and passes on the new".
 *
 * @param title - names a test; null to count the tests only
 */
function ofChangeInWords(tests: readonly ChangedTest[], title: ((test: ChangedTest) => string) | null): string[] {
  const steady = tests.filter(
    ({ isOfChange, transition }) => isOfChange !== null && passingTransitions.includes(transition),
  )
  return onOldCode.flatMap(([outcome, one, several]) => {
    const found = steady.filter(({ withoutChange }) => withoutChange === outcome)
    if (found.length === 0) return []
    const kinds = new Set(found.map(({ isOfChange }) => isOfChange))
    const kind = [kinds.has('added') && 'new', kinds.has('changed') && 'changed'].filter(Boolean).join(' and ')
    const what = `${kind} ${found.length === 1 ? 'test' : 'tests'}`
    const names = title === null || found.length > maxNamed ? null : found.map((test) => `\`${title(test)}\``)
    const atLeast = tests.length >= maxTests ? 'at least ' : ''
    const who = names === null ? `${atLeast}${found.length} ${what}` : `the ${what} ${names.join(', ')}`
    return `${who} ${found.length === 1 ? one : several}`
  })
}

/** "with the change 3 ran, 1 failed; on the base commit 3 ran, 0 failed; 1 broken" */
function testsInWords({ head, base, counts }: ChangeEvidence): string {
  const side = ({ outcome, totalTests, failedTests }: ChangeEvidence['head']) =>
    outcome === 'passed' || outcome === 'failed'
      ? `${totalTests} ran, ${failedTests} failed`
      : outcome.replaceAll('_', ' ')
  const named = (
    [
      ['fails_to_passes', 'fixed'],
      ['new_passing', 'new and passing'],
      ['broken', 'broken'],
      ['new_failing', 'new and failing'],
      ['fails_both', 'failing before and after'],
      ['gone', 'removed'],
      ['flaky', 'flaky'],
    ] as const
  ).flatMap(([transition, words]) => (counts[transition] > 0 ? [`${counts[transition]} ${words}`] : []))
  const sides = `with the change ${side(head)}; on the base commit ${side(base)}`
  return named.length > 0 ? `${sides}; ${named.join(', ')}` : sides
}

const maxPartialLines = 3

/** "tests run 5 of 6 changed lines and 3 of 4 branches (src/a.js:4 1 of 2)" */
function coverageInWords(
  { lines, coveredLines, branches, coveredBranches, partial, partialLines, unmeasured }: PatchCoverage,
  name: (path: string) => string,
  items: number,
): string {
  if (lines === 0) return unmeasured.length > 0 ? 'not measured' : 'no executable lines changed'
  const shown = partial.slice(0, Math.min(items, maxPartialLines))
  const places = shown.map(({ path, line, taken, total }) => `${name(path)}:${line} ${taken} of ${total}`)
  const more = partialLines > shown.length ? [`${partialLines - shown.length} more`] : []
  const listed = places.length > 0 ? ` (${[...places, ...more].join(', ')})` : ''
  const taken = branches > 0 ? ` and ${coveredBranches} of ${counted(branches, 'branch')}${listed}` : ''
  const files =
    unmeasured.length > 0
      ? `; ${counted(unmeasured.length, 'changed file')} ${unmeasured.length === 1 ? 'was' : 'were'} not measured`
      : ''
  return `tests run ${coveredLines} of ${counted(lines, 'changed line')}${taken}${files}`
}

function moreInWords(left: readonly (readonly [count: number, one: string, several?: string])[]): string | null {
  const parts = left.flatMap(([count, one, several = `${one}s`]) =>
    count > 0 ? [`${count} more ${count === 1 ? one : several}`] : [],
  )
  return parts.length === 0 ? null : `... and ${parts.join(', ')}`
}

/** Lines of stacks within Node, and the counts at the end of a report of node:test. */
const saysNoReason: readonly RegExp[] = [
  /^\s*at (?:async )?node:/,
  /^\s*at [^()]{1,300}\(node:/,
  /^node:internal\//,
  /^Node\.js v\d/,
  /^[ℹ#] (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms)\b/u,
]
const outputLines: Readonly<Record<Audience, number>> = { commands: 10, tools: 40 }

/** Returns the last lines that can give a reason, each once: node:test prints the stack of a failure twice. */
function lastLines(text: string, count: number): string {
  const seen = new Set<string>()
  const kept: string[] = []
  let left = 0
  for (const line of text.trimEnd().split('\n').toReversed()) {
    const said = line.trim()
    if (said === '' || saysNoReason.some((shape) => shape.test(line)) || seen.has(said)) continue
    seen.add(said)
    if (kept.length < count) kept.unshift(line)
    else left += 1
  }
  return left > 0 ? `…\n${kept.join('\n')}` : kept.join('\n')
}

/** Runners print the reason of a failure last. */
function endOf(text: string, bytes: number): string {
  const whole = text.trimEnd()
  let end = whole
  while (Buffer.byteLength(JSON.stringify(end)) > bytes) end = end.slice(Math.max(1, Math.ceil(end.length / 8)))
  return end.length < whole.length ? `…${end}` : end
}
