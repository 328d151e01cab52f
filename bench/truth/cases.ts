import { execFileSync } from 'node:child_process'
import type { AnalysisResult, TestCandidate, TestCase } from '../../engines/analysis/schema.ts'
import type { MeasuredFile } from '../../engines/coverage/carry-over.ts'
import { clipRanges, countRanges, hasLine } from '../../engines/coverage/ranges.ts'
import { defectOf } from '../../engines/parsing/testing/check-cases.ts'

/** A case with what is needed to judge it. */
export interface DrawnCase {
  repository: string
  checkout: string
  commit: string
  candidate: TestCandidate
  one: TestCase
  file: MeasuredFile | undefined
}

/** All cases of an answer. */
export const casesIn = (
  of: Pick<DrawnCase, 'repository' | 'checkout' | 'commit'>,
  { testCandidates = [] }: AnalysisResult,
  files: ReadonlyMap<string, MeasuredFile>,
): DrawnCase[] =>
  testCandidates.flatMap((candidate) =>
    (candidate.cases ?? []).map((one) => ({ ...of, candidate, one, file: files.get(candidate.path) })),
  )

/** The same `count` each time. */
export function draw<T>(all: readonly T[], count: number): T[] {
  let seed = 17
  const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
  return all
    .map((one) => ({ one, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ one }) => one)
}

/** What is wrong with the text of a case; undefined if its line has the condition. */
export function wrongText({ checkout, commit, candidate, one }: DrawnCase): string | undefined {
  if (one.line < candidate.startLine || one.line > candidate.endLine) return `line ${one.line} is not in the symbol`
  const text = execFileSync('git', ['-C', checkout, 'show', `${commit}:${candidate.path}`], { encoding: 'utf8' })
  return defectOf({ ...one, risk: 'branch', run: { at: one.line, counted: 'never', isAlone: false } }, text.split('\n'))
}

/**
 * Whether the coverage bears out that no test runs the case: its line does not run, some branch of it is not taken, or
 * lines of the block that it begins do not run. Undefined if the case does not claim it.
 */
export function isBorneOut({ checkout, commit, candidate, one, file }: DrawnCase): boolean | undefined {
  if (one.covered !== false) return undefined
  if (!file) return false
  if (hasLine(file.uncovered, one.line)) return true
  if (file.partialBranches?.some(({ line }) => line === one.line)) return true
  const text = execFileSync('git', ['-C', checkout, 'show', `${commit}:${candidate.path}`], { encoding: 'utf8' })
  const lines = text.split('\n')
  const indentation = (line: string) => /^\s*/.exec(line)?.[0].length ?? 0
  const own = indentation(lines[one.line - 1] ?? '')
  let end = one.line
  while (end < candidate.endLine && (lines[end]?.trim() === '' || indentation(lines[end] ?? '') >= own)) end++
  return countRanges(clipRanges(file.uncovered, one.line, end)) > 0
}
