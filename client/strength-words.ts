import type { Measurement } from '../core/strength/schema.ts'
import type { StrengthEvidence, Survivor } from '../engines/strength/schema.ts'
import { type Audience, inWordsOf } from './procedure-names.ts'
import { cleanLine, cleanName, shorten } from './sanitize.ts'
import { caseWords } from './suggestion-words.ts'

/** A survivor in clean text. */
export interface SurvivorWords {
  /** `src/price.js:2:7`, with the column where it is known. */
  place: string
  /** The function or class around it. */
  symbol: string | null
  /** The changed code, or its line where it is short. */
  original: string
  replacement: string
  /** The case of the analysis: `throws RangeError: negative when net < 0`. */
  case: string | null
  /** `test/price.test.js: adds the tax` */
  nearestTest: string | null
  /** How many tests run the code and accept the change. */
  tests: number
  /** What to assert. */
  advice: string
}

interface Limits {
  survivors: number
  files: number
  nameBytes: number
  codeBytes: number
  lineBytes: number
}

const limitsFor = (share: number): Limits => ({
  survivors: Math.max(1, Math.round(10 * share)),
  files: Math.max(1, Math.round(3 * Math.min(share, 1))),
  nameBytes: Math.max(40, Math.round(200 * Math.min(share, 1))),
  codeBytes: Math.max(30, Math.round(160 * Math.min(share, 1))),
  lineBytes: Math.max(60, Math.round(300 * Math.min(share, 1))),
})

/** The first ones are for short texts. */
const shares = [2, 1.5, 1, 0.8, 0.6, 0.4, 0.2, 0.1]

export function survivorWords(survivor: Survivor, limits: Limits = limitsFor(1)): SurvivorWords {
  const { path, line, column, context, symbol, case: ofCase, nearestTest, tests, advice } = survivor
  const { original, replacement } = context ?? survivor
  const name = (text: string) => shorten(cleanName(text), limits.nameBytes)
  const code = (text: string) => shorten(cleanLine(text), limits.codeBytes)
  const prose = (text: string) => shorten(cleanLine(text), limits.lineBytes)
  return {
    place: `${name(path)}:${line}${column === null ? '' : `:${column}`}`,
    symbol: symbol === null ? null : name(symbol),
    original: code(original),
    replacement: isRemoval(survivor) ? '(removed)' : code(replacement),
    case: ofCase && prose(caseWords(ofCase)),
    nearestTest: nearestTest && testWords(nearestTest, limits),
    tests,
    advice: prose(advice),
  }
}

/** Whether nothing is left of a statement. */
const isRemoval = ({ operator, replacement }: Survivor) =>
  (operator === 'removed_call' || operator === 'removed_throw') && ['', ';', 'pass'].includes(replacement.trim())

/** `test/price.test.js: adds the tax` */
const testWords = ({ path, name }: { path: string; name: string | null }, { nameBytes, lineBytes }: Limits) =>
  `${shorten(cleanName(path), nameBytes)}${name === null ? '' : `: ${shorten(cleanLine(name), lineBytes)}`}`

/** The part of the evidence that the author of tests needs for the next step. All text of strangers in it is clean. */
export interface StrengthDigest {
  reason: StrengthEvidence['reason']
  summary: string
  survivors: SurvivorWords[]
  /** The files with most survivors, where there are several. */
  weakestFiles: { path: string; percent: number | null; survived: number }[]
  /** How many more files have survivors. */
  moreWeakFiles: number
  /** What no passing test runs: "4 changes on 3 lines: src/price.js:2, 5 (3), src/stock.js:7 (1)"; null if nothing. */
  unreached: string | null
  /** Some of the tests that fail without a change, and so notice no change; the last entry counts the others. */
  failingTests: string[]
  warnings: string[]
  /** "12 more survivors"; null if nothing is left out. */
  leftOut: string | null
}

/** Returns the best survivors within a number of bytes as JSON. Leaves out the last ones first, then shortens texts. */
export function strengthDigest(
  evidence: StrengthEvidence,
  { maxBytes, audience }: { maxBytes: number; audience: Audience },
): StrengthDigest {
  let digest: StrengthDigest | undefined
  for (const share of shares) {
    digest = digestWithin(limitsFor(share), evidence, audience)
    if (costOf(digest) <= maxBytes) break
  }
  if (digest === undefined) throw new Error('there are no limits')
  return digest
}

/** A tokenizer knows few words of other scripts and of punctuation, so that one of their characters can be a token or more. */
function costOf(digest: StrengthDigest): number {
  const json = JSON.stringify(digest)
  const bytes = Buffer.byteLength(json)
  const foreign = json.match(/[^\p{ASCII}]/gu)?.length ?? 0
  const marks = json.match(/[!-/:-@[-`{-~]/g)?.length ?? 0
  return bytes + 4 * foreign + 2 * Math.max(0, marks - bytes / 4)
}

function digestWithin(limits: Limits, evidence: StrengthEvidence, audience: Audience): StrengthDigest {
  const { reason, summary, survived, survivors, files, unreached, warnings, tests } = evidence
  const prose = (text: string) => shorten(cleanLine(inWordsOf(audience, text)), limits.lineBytes)
  const weak = files.length > 1 ? files.filter((file) => file.survived > 0) : []
  const shown = survivors.slice(0, limits.survivors)
  const left = Math.max(survived, survivors.length) - shown.length
  return {
    reason,
    summary: shorten(cleanLine(inWordsOf(audience, summary)), 2 * limits.lineBytes),
    survivors: shown.map((survivor) => survivorWords(survivor, limits)),
    weakestFiles: weak.slice(0, limits.files).map((file) => ({
      path: shorten(cleanName(file.path), limits.nameBytes),
      percent: file.strength?.percent ?? null,
      survived: file.survived,
    })),
    moreWeakFiles: Math.max(0, weak.length - limits.files),
    unreached: unreachedWords(unreached, limits),
    failingTests: failingWords(tests, limits),
    warnings: warnings.slice(0, limits.files).map(prose),
    leftOut: left > 0 ? `${left} more survivor${left === 1 ? '' : 's'}` : null,
  }
}

function failingWords({ failing, failingTests }: StrengthEvidence['tests'], limits: Limits): string[] {
  const shown = failingTests.slice(0, limits.files).map((test) => testWords(test, limits))
  return failing > shown.length && shown.length > 0 ? [...shown, `and ${failing - shown.length} more`] : shown
}

const maxLines = 5

function unreachedWords(
  { changes, lines, files }: StrengthEvidence['unreached'],
  { files: count, nameBytes }: Limits,
): string | null {
  if (changes === 0) return null
  const shown = files.slice(0, count).map(({ path, changes, lines, at }) => {
    const some = at.slice(0, maxLines)
    return `${shorten(cleanName(path), nameBytes)}:${some.join(', ')}${lines > some.length ? ', …' : ''} (${changes})`
  })
  const more = files.length - shown.length
  const others = more > 0 ? ` and ${many(more, 'more file')}` : ''
  return `${many(changes, 'change')} on ${many(lines, 'line')}: ${shown.join(', ')}${others}`
}

const many = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** "75 %, and between 50 and 90 % for all 10 changes that tests run"; null if nothing was tried. */
export function strengthInWords({ strength, reached }: Pick<StrengthEvidence, 'strength' | 'reached'>): string | null {
  if (strength === null) return null
  const {
    percent,
    interval: [low, high],
  } = strength
  return low === high
    ? `${percent} %`
    : `${percent} %, and between ${low} and ${high} % for ${reached === 1 ? 'the 1 change' : `all ${reached} changes`} that tests run`
}

type Previous = NonNullable<Measurement['previous']>

/** "71.5 % on 2026-11-26; 3.5 points more now", with the interval of each that has one. */
export function previousInWords(
  { percent, interval, change, completedAt }: Previous,
  now: StrengthEvidence['strength'],
): string {
  const before = `${percent} %${intervalInWords(interval)} on ${completedAt.slice(0, 10)}`
  if (change === null) {
    const present = now ? ` now ${now.percent} %${intervalInWords(now.interval)},` : ''
    return `${before};${present} too wide to tell whether the strength has changed`
  }
  const points = `${Math.abs(change)} point${Math.abs(change) === 1 ? '' : 's'} ${change > 0 ? 'more' : 'less'} now`
  return `${before}; ${change === 0 ? 'the same now' : points}`
}

const intervalInWords = ([low, high]: Previous['interval']) => (low === high ? '' : ` (between ${low} and ${high} %)`)

interface Wording {
  /** How to wait for more. */
  wait: string
  /** How to measure once more. */
  again: string
  /** How to find out what to test. */
  suggest: string
  /** What names the code that no test runs. */
  unreached: string
}

/** Reasons after which another call goes on with what is left. */
const continuable: ReadonlySet<string> = new Set(['budget_used', 'running', 'cancelled'])

/** Says what to do after a measurement, or while it runs. */
export function adviceForStrength(
  { status, evidence, snapshotId }: Pick<Measurement, 'status' | 'evidence' | 'snapshotId'>,
  { wait, again, suggest, unreached }: Wording,
): string {
  const assert =
    'Assert what the survivors change, best first. Take expected values from what the code should do. ' +
    'Some changes cannot be noticed, because they do not change what the code does.'
  if (status === 'pending' || status === 'running') {
    const begin =
      evidence && evidence.survived > 0 ? 'The survivors so far are results: start with the first one. ' : ''
    return `Still ${status}. ${begin}${wait}`
  }
  if (status === 'cancelled') {
    return evidence && evidence.tried > 0
      ? `The measurement was cancelled, and keeps what it has found. To measure the rest, ${again}.`
      : `The measurement was cancelled before it had found anything. To measure, ${again}.`
  }
  if (status === 'failed' || evidence === null) return `There is no result. Fix the cause, then ${again}.`
  switch (evidence.reason) {
    case 'no_code_changed':
    case 'no_mutants':
      return 'There is nothing to strengthen here.'
    case 'nothing_reached':
      return `Write tests that run this code first: ${suggest}.`
    default:
      break
  }
  const isPartial = continuable.has(evidence.reason) && evidence.tried < evidence.reached
  const { changes, lines } = evidence.unreached
  const others =
    changes === 0 ? '' : ` No test runs ${many(changes, 'other change')} on ${many(lines, 'line')}: ${unreached}.`
  if (evidence.survived > 0) {
    const how = isPartial
      ? 'it continues where this one stopped'
      : 'it runs only test files that changed or that run a function that changed'
    // A test of a working tree can forge results, so that no commit takes them over.
    return snapshotId === null
      ? `${assert} Then ${again}: ${how}.${others}`
      : `${assert} Then ${again}, before you commit: ${how}. A commit takes over no results of a working tree.${others}`
  }
  const rest = isPartial ? ` To try the others, ${again}: it continues where this one stopped.` : ''
  const write = others === '' ? '' : `${others} Write tests that run them.`
  return `Tests notice every change that was tried.${rest}${write}`
}
