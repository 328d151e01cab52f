/**
 * Compares the ranking of test candidates with measured coverage:
 *
 *   node bench/ranking.ts <checkout> <report>[=<directory>]... [--without=<path prefix>]...
 *
 * Reports are LCOV. `directory` is the base of their relative paths if it is not the checkout. `--without` excludes tests
 * that did not run when the coverage was measured. The ranking does not use the reports.
 */
import { readFile } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, resolve } from 'node:path'
import { analyze } from '../engines/analysis/analyze.ts'
import { openWorkingTree } from '../engines/source/working-tree.ts'
import { defaultLimits } from '../engines/analysis/types.ts'
import type { TestCandidate } from '../engines/analysis/schema.ts'
import { printTable } from './report.ts'

/** The number of candidates that a user reads. */
const listLength = 20
/** A symbol or file below this coverage counts as badly covered. */
const lowCoverage = 0.5
const randomOrders = 200

type Lines = Map<number, number>

/** A candidate whose file is in the reports. */
interface Judged {
  candidate: TestCandidate
  covered: number
  /** Uncovered lines, with ids that are unique over all files. */
  uncovered: string[]
}

const [checkout, ...rest] = process.argv.slice(2)
const reports = rest.filter((argument) => !argument.startsWith('--'))
if (!checkout || reports.length === 0) throw new Error('usage: node bench/ranking.ts <checkout> <lcov file>...')
const without = rest.filter((argument) => argument.startsWith('--without=')).map((argument) => argument.slice(10))
const root = resolve(checkout)
const coverage = new Map<string, Lines>()
for (const report of reports) await readLcov(report, root, coverage)
const judged = judge(await candidatesOf(root, without), coverage)
report(basename(root), judged, coverage)

async function candidatesOf(path: string, leftOut: readonly string[]): Promise<TestCandidate[]> {
  const limits = { ...defaultLimits, maxCandidates: Number.MAX_SAFE_INTEGER }
  const { signal } = new AbortController()
  await using snapshot = await openWorkingTree(path, { limits, signal })
  const entries = snapshot.entries.filter((entry) => !leftOut.some((prefix) => entry.path.startsWith(prefix)))
  const { testCandidates } = await analyze({ ...snapshot, entries }, { limits, signal })
  return testCandidates ?? []
}

/** Adds the lines of a report, and sums the hits of a line over several reports. */
async function readLcov(argument: string, from: string, files: Map<string, Lines>): Promise<void> {
  const [file = '', directory = ''] = argument.split('=')
  let lines: Lines = new Map()
  for (const record of (await readFile(file, 'utf8')).split(/\r?\n/)) {
    const colon = record.indexOf(':')
    const [key, value] = [record.slice(0, colon), record.slice(colon + 1)]
    if (key === 'SF') {
      const path = isAbsolute(value) ? relative(from, value) : join(directory, value)
      lines = files.get(path) ?? new Map()
      files.set(path, lines)
    } else if (key === 'DA') {
      const [line = 0, hits = 0] = value.split(',').map(Number)
      lines.set(line, (lines.get(line) ?? 0) + hits)
    }
  }
}

function judge(candidates: readonly TestCandidate[], files: ReadonlyMap<string, Lines>): Judged[] {
  const found: Judged[] = []
  for (const candidate of candidates) {
    const lines = files.get(candidate.path)
    const covered = lines && shareOf(lines, candidate)
    if (!lines || covered === undefined) continue
    const uncovered: string[] = []
    for (let line = candidate.startLine; line <= candidate.endLine; line += 1) {
      if (lines.get(line) === 0) uncovered.push(`${candidate.path}:${line}`)
    }
    found.push({ candidate, covered, uncovered })
  }
  return found
}

/** Share of the lines of the body that ran. */
function shareOf(lines: Lines, { startLine, endLine }: TestCandidate): number | undefined {
  const hits: number[] = []
  for (let line = Math.min(startLine + 1, endLine); line <= endLine; line++)
    hits.push(...(lines.has(line) ? [lines.get(line) ?? 0] : []))
  return hits.length === 0 ? undefined : hits.filter((count) => count > 0).length / hits.length
}

function report(name: string, all: readonly Judged[], files: ReadonlyMap<string, Lines>): void {
  const low = all.filter(({ covered }) => covered < lowCoverage).length
  const total = new Set(all.flatMap(({ uncovered }) => uncovered)).size
  const hits = [...files.values()].flatMap((lines) => [...lines.values()])
  const lineShare = hits.filter((count) => count > 0).length / hits.length
  const share = (order: readonly Judged[]) => percent(uncoveredIn(order.slice(0, listLength)).size / total)
  const by = (value: (entry: Judged) => number) => all.toSorted((a, b) => value(b) - value(a))
  const perFile = filesOf(all, files)
  console.log(
    `${name}: ${percent(lineShare)} of lines covered, ${all.length} candidates in ${perFile.length} files known to ` +
      `the report, ${low} of them below ${percent(lowCoverage)}; ${total} uncovered lines\n`,
  )
  printTable(
    ['area under the curve, finding what is badly covered', 'symbols', 'files'],
    [
      [
        'estimated coverage',
        area(all.map((entry) => ({ value: entry.candidate.coverage ?? 0, low: entry.covered < lowCoverage }))),
        area(perFile.map(({ estimate, isLow }) => ({ value: estimate, low: isLow }))),
      ],
      [
        'complexity',
        area(all.map((entry) => ({ value: -entry.candidate.complexity, low: entry.covered < lowCoverage }))),
        area(perFile.map(({ complexity, isLow }) => ({ value: -complexity, low: isLow }))),
      ],
    ],
  )
  console.log('')
  printTable(
    [`share of uncovered lines in the first ${listLength}`, ''],
    [
      ['score', share(all)],
      ['complexity', share(by(({ candidate }) => candidate.complexity))],
      ['churn x complexity', share(by(({ candidate }) => candidate.complexity * (candidate.churn ?? 0)))],
      ['random order', percent(randomShare(all) / total)],
      ['measured (best possible)', percent(bestPossible(all) / total)],
    ],
  )
  const inList = all.slice(0, listLength).map(({ candidate }) => candidate.path)
  console.log(`\nfiles in the first ${listLength} by score: ${new Set(inList).size}`)
}

/** Returns each file with its estimate, weighted by the lengths of its symbols, and whether it is badly covered. */
function filesOf(all: readonly Judged[], files: ReadonlyMap<string, Lines>) {
  return [...Map.groupBy(all, ({ candidate }) => candidate.path)].map(([path, entries]) => {
    const hits = [...(files.get(path)?.values() ?? [])]
    const length = ({ candidate }: Judged) => candidate.endLine - candidate.startLine + 1
    const weight = entries.reduce((sum, entry) => sum + length(entry), 0)
    return {
      estimate: entries.reduce((sum, entry) => sum + (entry.candidate.coverage ?? 0) * length(entry), 0) / weight,
      complexity: entries.reduce((sum, { candidate }) => sum + candidate.complexity, 0),
      isLow: hits.filter((count) => count > 0).length / hits.length < lowCoverage,
    }
  })
}

/** Returns the probability that of two items the badly covered one has the lower value. Ties count half. */
function area(items: readonly { value: number; low: boolean }[]): string {
  const sorted = items.toSorted((a, b) => a.value - b.value)
  let rankSum = 0
  let lows = 0
  for (let start = 0; start < sorted.length;) {
    let end = start
    while (end < sorted.length && sorted[end]?.value === sorted[start]?.value) end += 1
    const rank = (start + end + 1) / 2
    for (const { low } of sorted.slice(start, end)) {
      if (!low) continue
      rankSum += rank
      lows += 1
    }
    start = end
  }
  const others = sorted.length - lows
  if (lows === 0 || others === 0) return 'none or all'
  return (1 - (rankSum - (lows * (lows + 1)) / 2) / (lows * others)).toFixed(3)
}

function uncoveredIn(entries: readonly Judged[]): Set<string> {
  return new Set(entries.flatMap(({ uncovered }) => uncovered))
}

/** Picks greedily the candidate that adds the most uncovered lines. */
function bestPossible(all: readonly Judged[]): number {
  const pool = all.toSorted((a, b) => b.uncovered.length - a.uncovered.length).slice(0, 500)
  const got = new Set<string>()
  const gain = ({ uncovered }: Judged) => uncovered.filter((line) => !got.has(line)).length
  for (let picked = 0; picked < listLength; picked += 1) {
    const [best] = pool.toSorted((a, b) => gain(b) - gain(a))
    for (const line of best?.uncovered ?? []) got.add(line)
  }
  return got.size
}

function randomShare(all: readonly Judged[]): number {
  // A seeded generator, so that the figure is reproducible.
  let state = 1
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state
  }
  let sum = 0
  for (let order = 0; order < randomOrders; order += 1) {
    const shuffled = all.map((entry) => ({ entry, key: random() })).toSorted((a, b) => a.key - b.key)
    sum += uncoveredIn(shuffled.slice(0, listLength).map(({ entry }) => entry)).size
  }
  return sum / randomOrders
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
