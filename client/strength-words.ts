import type { Measurement } from '../core/strength/schema.ts'
import type { StrengthEvidence, Survivor } from '../engines/strength/schema.ts'
import { type Audience, inWordsOf } from './procedure-names.ts'
import { cleanLine, cleanName, shorten } from './sanitize.ts'
import { caseWords } from './suggestion-words.ts'

/** A survivor in clean text. */
export interface SurvivorWords {
  /** `src/price.js:2` */
  place: string
  /** The function or class around it. */
  symbol: string | null
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
  const { path, line, symbol, original, replacement, case: ofCase, nearestTest, tests, advice } = survivor
  const name = (text: string) => shorten(cleanName(text), limits.nameBytes)
  const code = (text: string) => shorten(cleanLine(text), limits.codeBytes)
  const prose = (text: string) => shorten(cleanLine(text), limits.lineBytes)
  return {
    place: `${name(path)}:${line}`,
    symbol: symbol === null ? null : name(symbol),
    original: code(original),
    replacement: code(replacement),
    case: ofCase && prose(caseWords(ofCase)),
    nearestTest: nearestTest && testWords(nearestTest, limits),
    tests,
    advice: prose(advice),
  }
}

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
  /** Where no passing test runs changes: "src/price.js (3), src/stock.js (1) and 2 more files"; null if nowhere. */
  unreached: string | null
  /** Some of the tests that fail without a change, and so notice none. */
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
  const { reason, summary, survived, survivors, files, warnings, tests } = evidence
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
    unreached: unreachedWords(files, limits),
    failingTests: tests.failingTests.slice(0, limits.files).map((test) => testWords(test, limits)),
    warnings: warnings.slice(0, limits.files).map(prose),
    leftOut: left > 0 ? `${left} more survivor${left === 1 ? '' : 's'}` : null,
  }
}

function unreachedWords(files: StrengthEvidence['files'], { files: count, nameBytes }: Limits): string | null {
  const open = files
    .map(({ path, found, reached }) => ({ path, changes: found - reached }))
    .filter(({ changes }) => changes > 0)
    .toSorted((a, b) => b.changes - a.changes)
  if (open.length === 0) return null
  const shown = open.slice(0, count).map(({ path, changes }) => `${shorten(cleanName(path), nameBytes)} (${changes})`)
  const more = open.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more file${more === 1 ? '' : 's'}` : ''}`
}

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

/** "71.5 % on 2026-11-26; 3.5 points more now". */
export function previousInWords({ percent, change, completedAt }: NonNullable<Measurement['previous']>): string {
  const points = `${Math.abs(change)} point${Math.abs(change) === 1 ? '' : 's'} ${change > 0 ? 'more' : 'less'} now`
  return `${percent} % on ${completedAt.slice(0, 10)}; ${change === 0 ? 'the same now' : points}`
}

interface Wording {
  /** How to wait for more. */
  wait: string
  /** How to measure once more. */
  again: string
  /** How to find out what to test. */
  suggest: string
}

/** Says what to do after a measurement, or while it runs. */
export function adviceForStrength(
  { status, evidence, snapshotId }: Pick<Measurement, 'status' | 'evidence' | 'snapshotId'>,
  { wait, again, suggest }: Wording,
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
  const isPartial = evidence.reason === 'budget_used' && evidence.tried < evidence.reached
  if (evidence.survived > 0) {
    const how = isPartial ? 'it continues where this one stopped' : 'it tries only what changed'
    // A test of a working tree can forge results, so that no commit takes them over.
    return snapshotId === null
      ? `${assert} Then ${again}: ${how}.`
      : `${assert} Then ${again}, before you commit: ${how}. A commit takes over no results of a working tree.`
  }
  const rest = isPartial ? ` To try the others, ${again}: it continues where this one stopped.` : ''
  return `Tests notice every change that was tried.${rest}`
}
