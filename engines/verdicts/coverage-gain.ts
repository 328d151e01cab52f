import { parseBranches, parseReached } from '../coverage/branch-text.ts'
import {
  countRanges,
  formatRanges,
  includesLine,
  parseRanges,
  type Ranges,
  uniteRanges,
  withoutRanges,
} from '../coverage/ranges.ts'
import type { Measured, MeasuredFile } from './outcome.ts'
import type { CoverageGain, VerificationTarget } from './schema.ts'

interface Compared {
  /** The coverage of the project's own tests. */
  before: Measured
  /** The coverage of the project's own tests together with the new one. */
  after: Measured
  /** The coverage of the new test alone; null if the runner cannot run a single file. */
  alone: Measured | null
  target: VerificationTarget | null
  /** Coverage of this file does not count. */
  testPath: string
  /** The same as the tools report it, if these are corrected: with lines that ran only when the code was loaded. */
  reported?: Pick<Compared, 'before' | 'after' | 'alone'>
}

const unseen: MeasuredFile = { covered: '', uncovered: '', branches: '' }

/**
 * Returns the coverage that the test adds. A line counts only if the test alone covers it too, because other new lines
 * may be covered by chance.
 */
export function coverageGain({
  before,
  after,
  alone,
  target,
  testPath,
  reported = { before, after, alone },
}: Compared): CoverageGain {
  const project = { lines: 0, branches: 0 }
  // A test that only loads a file reaches it, but none of its functions.
  const reachedBy = ({ startLine }: VerificationTarget) =>
    startLine === undefined ? (reported.alone ?? reported.after) : (alone ?? after)
  const ofTarget: { lines: Ranges; branches: [line: number, count: number][] } = { lines: [], branches: [] }
  for (const [path, file] of Object.entries(after.files)) {
    if (path === testPath) continue
    const own = fileOf(alone ?? after, path)
    const known = fileOf(before, path)
    const lines = common(withoutRanges(parseRanges(file.covered), parseRanges(known.covered)), parseRanges(own.covered))
    const branches = newBranches(file, known, own)
    project.lines += countRanges(lines)
    project.branches += sum(branches)
    if (target?.path !== path) continue
    const within = linesOf(target)
    ofTarget.lines = common(lines, within)
    ofTarget.branches = branches.filter(([line]) => includesLine(within, line))
  }
  return {
    targetLinesReached: target ? formatRanges(linesReached(reachedBy(target), target)) : '',
    newTargetLines: formatRanges(ofTarget.lines),
    newTargetBranches: sum(ofTarget.branches),
    newTargetBranchLines: formatRanges(
      uniteRanges(
        ofTarget.branches.map(([line]) => [line, line]),
        [],
      ),
    ),
    newProjectLines: project.lines,
    newProjectBranches: project.branches,
    before: percentOf(reported.before, testPath),
    after: percentOf(reported.after, testPath),
  }
}

/** Returns the lines that are covered in the first coverage, but not in the second. */
export const beyond = ({ files }: Measured, known: Measured): Measured => ({
  files: Object.fromEntries(
    Object.entries(files).map(([path, file]) => {
      const covered = withoutRanges(parseRanges(file.covered), parseRanges(fileOf(known, path).covered))
      return [path, { ...file, covered: formatRanges(covered) }]
    }),
  ),
})

/** Returns the lines of the target that only the new test covers, and those in which only it covers a branch. */
export const newLinesOf = ({ newTargetLines, newTargetBranchLines = '' }: CoverageGain): Ranges =>
  uniteRanges(parseRanges(newTargetLines), parseRanges(newTargetBranchLines))

/** Returns the covered lines of the target. */
export function linesReached(measured: Measured, target: VerificationTarget): Ranges {
  return common(parseRanges(fileOf(measured, target.path).covered), linesOf(target))
}

/** Returns what of the code of a file was reached, for `findMutants`. */
export const codeReached = ({ covered, uncovered, uncalled = '', partial = '' }: MeasuredFile = unseen) => ({
  covered: parseRanges(covered),
  uncovered: parseRanges(uncovered),
  uncalled: parseRanges(uncalled),
  partial: parseBranches(partial),
})

/** Returns the percentage of covered lines, rounded to two decimals; null if there are no lines. */
export function percentOf({ files }: Measured, testPath: string): number | null {
  let covered = 0
  let total = 0
  for (const [path, file] of Object.entries(files)) {
    if (path === testPath) continue
    const reached = countRanges(parseRanges(file.covered))
    covered += reached
    total += reached + countRanges(parseRanges(file.uncovered))
  }
  return total === 0 ? null : Math.round((covered / total) * 10_000) / 100
}

function fileOf({ files }: Measured, path: string): MeasuredFile {
  return Object.hasOwn(files, path) ? (files[path] ?? unseen) : unseen
}

function linesOf({ startLine, endLine }: VerificationTarget): Ranges {
  if (startLine === undefined) return [[1, Number.MAX_SAFE_INTEGER]]
  return [[startLine, Math.max(startLine, endLine ?? startLine)]]
}

/**
 * Compares the number of covered branches per line, because tools number the branches of a line differently in every run.
 */
function newBranches(after: MeasuredFile, before: MeasuredFile, own: MeasuredFile): [line: number, count: number][] {
  const known = parseReached(before.branches)
  const reached = parseReached(own.branches)
  return [...parseReached(after.branches)].flatMap(([line, count]): [number, number][] => {
    const more = Math.min(count - (known.get(line) ?? 0), reached.get(line) ?? 0)
    return more > 0 ? [[line, more]] : []
  })
}

/** Returns the lines that are in both lists. */
const common = (ranges: Ranges, others: Ranges): Ranges => withoutRanges(ranges, withoutRanges(ranges, others))

const sum = (counts: readonly (readonly [number, number])[]) => counts.reduce((total, [, count]) => total + count, 0)
