import { execFileSync } from 'node:child_process'
import type { AnalysisResult, TestCandidate, TestCase } from '../../engines/analysis/schema.ts'
import type { MeasuredFile } from '../../engines/coverage/carry-over.ts'
import { hasLine } from '../../engines/coverage/ranges.ts'
import { detectLanguage } from '../../engines/languages/detect.ts'
import { readSourceTree } from '../../engines/parsing/description/source-tree.ts'
import { dialectOf } from '../../engines/parsing/dialects.ts'
import { nodesOf } from '../../engines/parsing/syntax-tree.ts'
import { caseChecker } from '../../engines/parsing/testing/check-cases.ts'

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

/** What is wrong with a case; undefined if the syntax tree has it at its line. */
export async function defectOf({ candidate, one, ...drawn }: DrawnCase): Promise<string | undefined> {
  if (one.line < candidate.startLine || one.line > candidate.endLine) return `line ${one.line} is not in the symbol`
  const tree = await treeOf({ candidate, ...drawn })
  return tree ? caseChecker(tree)(one) : 'the file could not be read'
}

/**
 * Whether the coverage bears out that no test runs the case: its line does not run, the report has a branch of the line
 * that is not taken, or, where it has no branches or has them at their blocks, a block of the line's statement does not
 * run. Undefined if the case does not claim it.
 */
export async function isBorneOut({ one, file, ...drawn }: DrawnCase): Promise<boolean | undefined> {
  if (one.covered !== false) return undefined
  if (!file) return false
  const isMissing = (line: number) =>
    hasLine(file.uncovered, line) || file.partialBranches?.some((branch) => branch.line === line) === true
  if (isMissing(one.line)) return true
  const tree = await treeOf(drawn)
  const blocks = [...(tree ? nodesOf(tree.root) : [])].filter(
    ({ parent }) => parent && tree?.lineOf(parent.start) === one.line,
  )
  // The first statement of each block: deeper ones belong to other conditions.
  const starts = blocks.flatMap(({ start, children }) => [start, ...children.slice(0, 2).map((child) => child.start)])
  return starts.some((start) => isMissing(tree?.lineOf(start) ?? 0))
}

function treeOf({ checkout, commit, candidate }: Pick<DrawnCase, 'checkout' | 'commit' | 'candidate'>) {
  const content = execFileSync('git', ['-C', checkout, 'show', `${commit}:${candidate.path}`], {
    maxBuffer: 50_000_000,
  })
  const dialect = dialectOf(detectLanguage(candidate.path, content), candidate.path)
  return dialect && readSourceTree(content.toString('utf8'), dialect, { timeoutMs: 5_000, checkNesting: true })
}
