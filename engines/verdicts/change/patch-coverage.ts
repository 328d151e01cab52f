import { parseBranches, parseReached } from '../../coverage/branch-text.ts'
import {
  countRanges,
  hasLine,
  intersectRanges,
  parseRanges,
  type Ranges,
  withoutRanges,
} from '../../coverage/ranges.ts'
import type { Measured, MeasuredFile } from '../outcome.ts'
import { canRun, isBlankOrComment } from './comments.ts'
import type { ChangedFile, ChangeFacts, UncoveredCase } from './facts.ts'
import type { PartialLine, PatchCoverage, UncoveredRange } from './schema.ts'

export interface ChangedLines {
  /** Null if coverage was not measured. */
  patch: PatchCoverage | null
  /** The number of executable lines in the longest range that no test runs. */
  longestUncovered: number
  /** Unmeasured files that coverage of their language would name if a test had loaded them. */
  notLoaded: string[]
  /** Whether the change adds, modifies or removes lines that can run. Null if that is unknown. */
  canRun: boolean | null
}

const maxUncovered = 50
const maxPartial = 50
const maxCodeLines = 40
const maxCodeLength = 2_000
const maxUnmeasured = 200
const maxCases = 10

/**
 * Intersects the changed lines with those that the coverage of the head names. Deleted, blank and comment lines do not
 * count, because no report names them. A line of which only some branches were taken counts as covered, and its other
 * branches as not taken.
 */
export function changedLines({ files, head, base, sources, cases }: ChangeFacts): ChangedLines {
  const code = files.filter(({ kind }) => kind === 'code')
  const changed = code.filter(({ change, lines }) => change !== 'deleted' && lines.length > 0)
  const { coverage } = head
  const text = (path: string) => linesOf(sources.get(path))
  if (coverage === null) return { patch: null, longestUncovered: 0, notLoaded: [], canRun: null }
  const totals = { lines: 0, coveredLines: 0, branches: 0, coveredBranches: 0 }
  const partial: PartialLine[] = []
  const uncovered: (UncoveredRange & { executable: number })[] = []
  const unmeasured: string[] = []
  for (const { path, lines } of changed) {
    const file = fileIn(coverage, path)
    if (file === null) {
      unmeasured.push(path)
      continue
    }
    const covered = intersectRanges(lines, parseRanges(file.covered))
    const missed = intersectRanges(lines, withoutRanges(parseRanges(file.uncovered), covered))
    totals.coveredLines += countRanges(covered)
    totals.lines += countRanges(covered) + countRanges(missed)
    for (const { line, taken, total } of branchesOn(lines, file)) {
      totals.branches += total
      totals.coveredBranches += taken
      if (taken < total && hasLine(covered, line)) partial.push({ path, line, taken, total })
    }
    uncovered.push(...describe(path, missed, text(path), covered))
  }
  const restoredWhole = new Set(
    changed.flatMap(({ path, isVendored, isDisguised }) => (isVendored || isDisguised ? path : [])),
  )
  const measures = new Set(Object.keys(coverage.files).map(familyOf))
  const patch: PatchCoverage = {
    ...totals,
    partialLines: partial.length,
    partial: partial.slice(0, maxPartial),
    percent: totals.lines === 0 ? null : Math.floor((totals.coveredLines * 1_000) / totals.lines) / 10,
    uncovered: uncovered
      .toSorted(
        (a, b) =>
          b.executable - a.executable || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.startLine - b.startLine),
      )
      .slice(0, maxUncovered)
      .map(({ path, startLine, endLine, code: text }) => ({
        path,
        startLine,
        endLine,
        code: text,
        cases: casesIn(cases.get(path) ?? [], startLine, endLine),
      })),
    unmeasured: unmeasured.slice(0, maxUnmeasured),
  }
  return {
    patch,
    longestUncovered: uncovered.reduce((most, { executable }) => Math.max(most, executable), 0),
    notLoaded: unmeasured.filter(
      (path) => !restoredWhole.has(path) && measures.has(familyOf(path)) && canRun(path, sources.get(path)),
    ),
    canRun: totals.lines > 0 || removesCode(code, base.coverage) ? true : unmeasured.length > 0 ? null : false,
  }
}

/** Returns the branches of each line: reports name the lines with branches that were not taken, and count those that were. */
function branchesOn(lines: Ranges, { branches, partial = '' }: MeasuredFile): Omit<PartialLine, 'path'>[] {
  const byLine = new Map([...parseReached(branches)].map(([line, taken]) => [line, { line, taken, total: taken }]))
  for (const counts of parseBranches(partial)) byLine.set(counts.line, counts)
  return [...byLine.values()].filter(({ line }) => hasLine(lines, line)).toSorted((a, b) => a.line - b.line)
}

/** The condition may be outside of the lines that run only if it holds. */
const casesIn = (cases: readonly UncoveredCase[], startLine: number, endLine: number) =>
  cases
    .filter(({ line, only }) => [line, ...only].some((at) => at >= startLine && at <= endLine))
    .slice(0, maxCases)
    .map(({ text }) => text)

/** Whether every changed line of code is blank or a comment, judged by the text, and no line that can run was removed. */
export function changesOnlyComments({ files, sources, base }: ChangeFacts): boolean {
  const code = files.filter(({ kind }) => kind === 'code')
  if (code.length === 0 || code.some(({ change }) => change !== 'changed') || removesCode(code, base.coverage))
    return false
  return code.every(({ path, lines }) => {
    if (lines.length === 0) return true
    const text = linesOf(sources.get(path))
    if (text === null) return false
    return lines.every(([first, last]) => {
      const changed = text.slice(first - 1, last)
      return changed.length === last - first + 1 && changed.every((line) => isBlankOrComment(line, path))
    })
  })
}

/** Whether the change removes or replaces lines that the coverage of the base names, or that it might name. */
function removesCode(code: readonly ChangedFile[], coverage: Measured | null): boolean {
  return code.some(({ removed = [], before, change }) => {
    if (change === 'deleted') return true
    if (removed.length === 0 || before === null) return false
    const file = coverage && fileIn(coverage, before)
    if (file === null) return true
    return (
      intersectRanges(removed, parseRanges(file.covered)).length +
        intersectRanges(removed, parseRanges(file.uncovered)).length >
      0
    )
  })
}

/** Merges uncovered lines with only blank lines, comments and unnamed lines between them. */
function describe(
  path: string,
  missed: Ranges,
  text: readonly string[] | null,
  covered: Ranges,
): (UncoveredRange & { executable: number })[] {
  const merged: { first: number; last: number; executable: number }[] = []
  for (const [first, last] of missed) {
    const before = merged.at(-1)
    const isNext =
      before !== undefined &&
      (before.last + 1 === first ||
        (text !== null &&
          first - before.last <= maxGap &&
          text.slice(before.last, first - 1).every((line) => isBlankOrComment(line, path) || isClosing(line)) &&
          intersectRanges([[before.last + 1, first - 1]], covered).length === 0))
    if (isNext) {
      before.last = last
      before.executable += last - first + 1
    } else merged.push({ first, last, executable: last - first + 1 })
  }
  return merged.map(({ first, last, executable }) => ({
    path,
    startLine: first,
    endLine: last,
    code: codeOf(text, first, last),
    cases: [],
    executable,
  }))
}

const maxGap = 50
const isClosing = (line: string) => /^[\s)\]};,]*$/.test(line)

function codeOf(text: readonly string[] | null, first: number, last: number): string {
  if (text === null) return ''
  const shown = text.slice(first - 1, Math.min(last, first - 1 + maxCodeLines))
  const code = shown.join('\n').slice(0, maxCodeLength)
  return last - first + 1 > shown.length ? `${code}\n…` : code
}

const linesOf = (source: string | undefined): readonly string[] | null =>
  source === undefined ? null : source.split(/\r?\n/)

/** Tools measure files of one language together, whichever extension these have. */
export const familyOf = (path: string) => {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return /^[cm]?[jt]sx?$/.test(extension) ? 'js' : extension
}

const fileIn = ({ files }: Measured, path: string) => (Object.hasOwn(files, path) ? (files[path] ?? null) : null)
