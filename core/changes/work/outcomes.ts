import { formatReached, mergePartialBranches, parseReached } from '../../../engines/coverage/branch-text.ts'
import {
  formatRanges,
  hasLine,
  parseRanges,
  type Ranges,
  uniteRanges,
  withoutRanges,
} from '../../../engines/coverage/ranges.ts'
import { noTests, type Totals } from '../../../engines/reports/totals.ts'
import type { Measured, MeasuredFile, RunOutcome } from '../../../engines/verdicts/outcome.ts'

const maxCases = 20_000
const maxOutputLength = 8_192
const maxWarnings = 20

/** Returns the outcomes of several parts, which ran one after the other, as one. Returns null for none. */
export function mergeOutcomes(outcomes: readonly RunOutcome[]): RunOutcome | null {
  const [first, ...others] = outcomes
  if (first === undefined) return null
  if (others.length === 0) return first
  const totals = outcomes.map((outcome) => outcome.totals).reduce(addTotals, noTests)
  // A part without tests is no problem if others have some.
  const problems = outcomes.flatMap(({ problem }) =>
    problem === null || (problem.code === 'no_tests' && totals.totalTests > 0) ? [] : problem,
  )
  const deciding = outcomes.find(({ problem }) => problem !== null && problem === problems[0])
  const failing = deciding ?? outcomes.find((outcome) => outcome.totals.failedTests > 0) ?? first
  const measured = outcomes.flatMap(({ coverage }) => coverage ?? [])
  const usage = outcomes.map(({ execution }) => execution.usage)
  return {
    execution: {
      ...failing.execution,
      usage: {
        wallMs: usage.reduce((sum, { wallMs }) => sum + wallMs, 0),
        cpuMs: usage.reduce<number | null>((sum, { cpuMs }) => (cpuMs === null ? sum : (sum ?? 0) + cpuMs), null),
        peakMemoryBytes: Math.max(...usage.map(({ peakMemoryBytes }) => peakMemoryBytes ?? 0)) || null,
      },
    },
    cases: outcomes.flatMap(({ cases }) => cases).slice(0, maxCases),
    totals,
    problem: problems[0] ?? null,
    coverage: measured.length === 0 ? null : measured.reduce(mergeCoverage),
    hang: outcomes.find(({ hang }) => hang !== null)?.hang ?? null,
    output: failing.output.slice(-maxOutputLength),
    warnings: [...new Set(outcomes.flatMap(({ warnings }) => warnings))].slice(0, maxWarnings),
  }
}

/** Returns what a run measured. A report without files says nothing about any line, so it counts as none. */
export function measuredBy(outcome: RunOutcome | null): Measured | null {
  const coverage = outcome?.coverage ?? null
  return coverage === null || Object.keys(coverage.files).length === 0 ? null : coverage
}

function addTotals(one: Totals, other: Totals): Totals {
  return {
    totalTests: one.totalTests + other.totalTests,
    passedTests: one.passedTests + other.passedTests,
    failedTests: one.failedTests + other.failedTests,
    skippedTests: one.skippedTests + other.skippedTests,
    flakyTests: one.flakyTests + other.flakyTests,
  }
}

function mergeCoverage(one: Measured, other: Measured): Measured {
  const files: Measured['files'] = Object.assign(Object.create(null), one.files)
  for (const [path, file] of Object.entries(other.files)) {
    const known = files[path]
    files[path] = known ? mergeFile(known, file) : file
  }
  return { files }
}

function mergeFile(one: MeasuredFile, other: MeasuredFile): MeasuredFile {
  const covered = uniteRanges(parseRanges(one.covered), parseRanges(other.covered))
  const uncovered = uniteRanges(parseRanges(one.uncovered), parseRanges(other.uncovered))
  // The branches of a line that both parts took may be different ones. The larger number is a safe estimate.
  const branches = parseReached(one.branches)
  for (const [line, taken] of parseReached(other.branches)) {
    branches.set(line, Math.max(branches.get(line) ?? 0, taken))
  }
  const partial = mergePartialBranches(branchesOf(one), branchesOf(other))
  const uncalled = formatRanges(uncalledInBoth(one, other))
  return {
    covered: formatRanges(covered),
    uncovered: formatRanges(withoutRanges(uncovered, covered)),
    branches: formatReached([...branches].toSorted(([a], [b]) => a - b)),
    ...(partial && { partial }),
    ...(uncalled && { uncalled }),
  }
}

/** A part says nothing about the functions of lines that it does not name, and a call in one part is a call. */
function uncalledInBoth(one: MeasuredFile, other: MeasuredFile): Ranges {
  const [some, others] = [parseRanges(one.uncalled ?? ''), parseRanges(other.uncalled ?? '')]
  return withoutRanges(some, withoutRanges(some, others))
}

function branchesOf({ covered, partial = '' }: MeasuredFile) {
  const lines = parseRanges(covered)
  return { partial, hasLine: (line: number) => hasLine(lines, line) }
}
