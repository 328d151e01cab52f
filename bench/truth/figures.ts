import type { AnalysisResult, TestCandidate } from '../../engines/analysis/schema.ts'
import type { MeasuredFile } from '../../engines/coverage/carry-over.ts'
import { clipRanges, countRanges } from '../../engines/coverage/ranges.ts'

/** A candidate of which the tests' coverage is known. */
export interface Judged {
  candidate: TestCandidate
  covered: number
  uncovered: number
  /** Its lines that run, but not into every branch. */
  partial: number
}

/** Candidates with measured lines in their bodies, in the order of the list. */
export function judge(candidates: readonly TestCandidate[], files: ReadonlyMap<string, MeasuredFile>): Judged[] {
  return candidates.flatMap((candidate) => {
    const file = files.get(candidate.path)
    if (!file) return []
    const { startLine, endLine } = candidate
    const count = (first: number) => ({
      covered: countRanges(clipRanges(file.covered, first, endLine)),
      uncovered: countRanges(clipRanges(file.uncovered, first, endLine)),
    })
    // The first line declares it, which runs when the file is loaded.
    const body = count(Math.min(startLine + 1, endLine))
    const lines = body.covered + body.uncovered > 0 ? body : count(startLine)
    const partial = (file.partialBranches ?? []).filter(({ line }) => startLine <= line && line <= endLine).length
    return lines.covered + lines.uncovered > 0 ? [{ candidate, ...lines, partial }] : []
  })
}

/** Whether a test could reach more of it: lines, and branches where the report has them. */
export const hasGap = ({ uncovered, partial }: Judged): boolean => uncovered > 0 || partial > 0

/** Share of the first `count` that have a line or branch that no test runs. */
export function precisionAt(count: number, judged: readonly Judged[]): number {
  const first = judged.slice(0, count)
  return first.length === 0 ? Number.NaN : first.filter(hasGap).length / first.length
}

export const possibleAt = (count: number, judged: readonly Judged[]): number =>
  Math.min(count, judged.filter(hasGap).length) / Math.min(count, judged.length)

export const byComplexity = (judged: readonly Judged[]): Judged[] =>
  judged.toSorted((a, b) => b.candidate.complexity - a.candidate.complexity)

export const shareOfGaps = (judged: readonly Judged[]): number => judged.filter(hasGap).length / judged.length

/**
 * The probability that of two symbols, one of which tests mostly run and one of which they mostly do not, the estimate
 * is lower for the latter.
 */
export const aucOfSymbols = (judged: readonly Judged[]): number =>
  auc(judged.map(({ candidate, covered, uncovered }) => [candidate.coverage ?? 0, covered / (covered + uncovered)]))

/** The same for files, by the means of their symbols weighted by lines. */
export function aucOfFiles(judged: readonly Judged[]): number {
  const byFile = Map.groupBy(judged, ({ candidate }) => candidate.path)
  const pairs = [...byFile.values()].map((ofFile): [number, number] => {
    const sum = (valueOf: (one: Judged) => number) => ofFile.reduce((total, one) => total + valueOf(one), 0)
    const lines = sum(({ covered, uncovered }) => covered + uncovered)
    return [
      sum(({ candidate, covered, uncovered }) => (candidate.coverage ?? 0) * (covered + uncovered)) / lines,
      sum(({ covered }) => covered) / lines,
    ]
  })
  return auc(pairs)
}

/** @param pairs - estimated and true shares */
function auc(pairs: readonly (readonly [number, number])[]): number {
  const low = pairs.filter(([, share]) => share < 0.5)
  const high = pairs.filter(([, share]) => share >= 0.5)
  let sum = 0
  for (const [a] of low) for (const [b] of high) sum += a < b ? 1 : a === b ? 0.5 : 0
  return sum / (low.length * high.length)
}

const claimsNoReach = /^no (?:test|caller|call)\b(?!.*\btests? (?:reach|run)\b)(?!.*\bwhich\b)/

/** "T calls it". "Can be reached through X, which T calls" says only what the code allows. */
const claimsCall = /^(?!no ).* calls it$/

/** Candidates with a reason that says whether tests run them, and those of which the coverage shows the contrary. */
export function falseReasons(judged: readonly Judged[]): { claims: number; wrong: Judged[] } {
  const claim = ({ candidate: { reasons } }: Judged) => {
    if (reasons.some((reason) => claimsNoReach.test(reason))) return 'none'
    return reasons.some((reason) => claimsCall.test(reason)) ? 'called' : undefined
  }
  const claiming = judged.filter((one) => claim(one) !== undefined)
  return {
    claims: claiming.length,
    wrong: claiming.filter((one) => (claim(one) === 'none' ? one.covered > 0 : one.covered === 0)),
  }
}

const runsNone = /^tests run none of its/
const runsSome = /^tests run ([\d,]+) of its ([\d,]+) lines/

/** Reasons of measured candidates that the coverage contradicts. */
export function contradicted(judged: readonly Judged[]): { claims: number; wrong: Judged[] } {
  const claiming = judged.filter(({ candidate }) => candidate.coverageSource === 'measured')
  const wrong = claiming.filter(({ candidate, covered, uncovered }) => {
    const reasons = candidate.reasons
    if (reasons.some((reason) => claimsNoReach.test(reason))) return covered > 0
    if (reasons.some((reason) => runsNone.test(reason))) return covered > 0 && candidate.uncovered === undefined
    const some = reasons.map((reason) => runsSome.exec(reason)).find((match) => match !== null)
    return some !== undefined && uncovered === 0
  })
  return { claims: claiming.length, wrong }
}

/** The framework and the place of a new test, as the product names them for its first twenty candidates. */
export function placesOf({ testCandidates = [] }: AnalysisResult): { framework: string; path: string }[] {
  return testCandidates
    .slice(0, 20)
    .flatMap(({ brief }) => (brief ? [{ framework: brief.framework, path: brief.testFile.path }] : []))
}
