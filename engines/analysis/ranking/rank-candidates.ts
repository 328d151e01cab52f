import type { TestCandidate } from '../schema.ts'
import { buildGraph } from '../graph/graph.ts'
import { type SourceFile, SourceTree } from '../graph/source-tree.ts'
import type { CarriedFile } from '../../coverage/carry-over.ts'
import { clipRanges, type Ranges, uniteRanges } from '../../coverage/ranges.ts'
import type { AnalysisLimits, KnownCoverage } from '../types.ts'
import type { SymbolFact } from '../../parsing/types.ts'
import type { History } from '../../source/types.ts'
import { CallReach, type SymbolReach } from './call-reach.ts'
import { estimatedCoverage, rungOf } from './estimate.ts'
import { type FileReach, FileReaches } from './file-reach.ts'
import { measureSymbol, type SymbolCoverage } from './measured.ts'
import { nearestTests } from './nearest-tests.ts'
import { reasonsFor } from './reasons.ts'
import { repetitionFactor, score } from './score.ts'
import type { Scope } from '../scope.ts'
import { fileWeight, isWorthTesting } from './worth.ts'

export interface RankingInput {
  files: readonly SourceFile[]
  history: History
  coverage?: KnownCoverage | undefined
  /** Text of the files that `isGraphManifest` asks for, by path: without them fewer imports are resolved. */
  manifests?: ReadonlyMap<string, string> | undefined
  limits: Pick<AnalysisLimits, 'maxCandidates'>
  /** Limits the candidates. */
  scope?: Scope | undefined
}

export interface Ranking {
  /** The best, best first. */
  candidates: TestCandidate[]
  /** Candidates found in all. */
  candidateCount: number
}

/** The facts that all symbols of a file share. */
interface RatedFile {
  path: string
  language: string
  reach: FileReach
  churn: number | null
  recentChanges: number
  fanIn: number
}

/** One symbol with everything that its place in the ranking depends on. */
interface Rated {
  file: RatedFile
  symbol: SymbolFact
  reach: SymbolReach
  /** Share that tests reach: measured, else estimated. */
  coverage: number
  measured: SymbolCoverage | undefined
  score: number
  /** Its lines that the scope counts as changed; undefined if the scope is not about changes. */
  changedSince: Ranges | undefined
}

/** Finds the symbols that most need a test. The same input gives the same answer, in the same order. */
export function rankCandidates({ files, history, coverage, manifests, limits, scope }: RankingInput): Ranking {
  const tree = new SourceTree(files, manifests)
  const graph = buildGraph(tree)
  const fileReaches = new FileReaches(tree, graph)
  const calls = new CallReach(tree, graph, fileReaches)
  const rated: Rated[] = []
  for (const [id, source] of files.entries()) {
    const weight = source.record?.facts ? fileWeight(source) : 0
    if (weight === 0 || scope?.hasFile(source.path) === false) continue
    const { path, language } = source
    const file: RatedFile = {
      path,
      language,
      reach: fileReaches.of(id),
      churn: history.commits === 0 ? null : (history.changes.get(path) ?? 0),
      recentChanges: history.recentChanges.get(path) ?? 0,
      fanIn: graph.importers[id]?.length ?? 0,
    }
    const ofFile = rateSymbols(
      file,
      source.record?.facts?.symbols ?? [],
      calls.of(id),
      coverage?.files.get(path),
      weight,
    ).filter((entry) => isInScope(entry, source, scope))
    ofFile.sort(byScore)
    for (const [position, entry] of ofFile.entries()) entry.score *= repetitionFactor(position)
    for (const entry of ofFile) rated.push(entry)
  }
  return {
    candidates: bestOfAll(rated, limits.maxCandidates).map((entry) =>
      candidateOf(entry, tree, history.commits, coverage, scope),
    ),
    candidateCount: rated.length,
  }
}

function rateSymbols(
  file: RatedFile,
  symbols: readonly SymbolFact[],
  reaches: readonly SymbolReach[],
  lines: CarriedFile | undefined,
  weight: number,
): Rated[] {
  const rung = rungOf(file.reach)
  const rated: Rated[] = []
  for (const [index, symbol] of symbols.entries()) {
    const reach = reaches[index]
    if (!reach || !isWorthTesting(symbol)) continue
    const estimate = estimatedCoverage(rung, reach)
    const measured = measureSymbol(lines, symbol, lines ? candidatesInside(symbols, index) : [], estimate)
    const { churn, fanIn } = file
    const { complexity, statements } = symbol
    const gap = measured?.gap ?? 1 - estimate
    const value = score({ complexity, statements, gap, churn, fanIn, weight })
    // Where tests run every line and branch, there is no gap to close.
    if (value > 0)
      rated.push({
        file,
        symbol,
        reach,
        coverage: measured?.share ?? estimate,
        measured,
        score: value,
        changedSince: undefined,
      })
  }
  return rated
}

/** Whether the scope has the symbol. Notes its lines that changed, as far as they are of no other candidate inside of it. */
function isInScope(entry: Rated, { record }: SourceFile, scope: Scope | undefined): boolean {
  if (!scope) return true
  const { file, symbol } = entry
  if (!scope.hasSymbol(symbol.name)) return false
  const symbols = record?.facts?.symbols ?? []
  const changes = scope.changesOf(file.path, symbol, candidatesInside(symbols, symbols.indexOf(symbol)))
  entry.changedSince = changes?.lines
  return changes === undefined || changes.isChanged
}

/** The lines of the symbols inside of another that are candidates themselves. They follow it in the list. */
function candidatesInside(symbols: readonly SymbolFact[], index: number): Ranges {
  const around = symbols[index]
  const inside: [number, number][] = []
  if (!around) return inside
  for (const symbol of symbols.slice(index + 1)) {
    if (symbol.startLine > around.endLine) break
    const isSmaller = symbol.endLine - symbol.startLine < around.endLine - around.startLine
    if (isSmaller && symbol.endLine <= around.endLine && isWorthTesting(symbol)) {
      inside.push([symbol.startLine, symbol.endLine])
    }
  }
  return uniteRanges(inside, [])
}

function candidateOf(
  { file, symbol, reach, coverage, measured, score: value, changedSince }: Rated,
  tree: SourceTree,
  commits: number,
  known: KnownCoverage | undefined,
  scope: Scope | undefined,
) {
  const { path, fanIn, churn } = file
  const nearest = nearestTests(tree, path, file.reach, reach)
  const candidate: TestCandidate = {
    path,
    symbol: symbol.name,
    kind: symbol.kind,
    startLine: symbol.startLine,
    endLine: symbol.endLine,
    complexity: symbol.complexity,
    churn,
    fanIn,
    hasTest: reach.kind === 'called-by-test',
    score: round(value),
    reasons: reasonsFor({
      symbol,
      rung: rungOf(file.reach),
      reach,
      measured,
      known,
      path,
      via: file.reach.via === undefined ? undefined : tree.pathOf(file.reach.via),
      test: nearest[0],
      pathOf: (id) => tree.pathOf(id),
      churn: { commits, changes: churn ?? 0, recent: file.recentChanges },
      fanIn,
      changedSince: changedSince && { lines: changedSince, name: scope?.resolved.since ?? '' },
    }),
    language: file.language,
    exported: symbol.exported,
    coverage: round(coverage),
    coverageSource: measured ? 'measured' : 'estimated',
  }
  if (nearest.length > 0) candidate.nearestTests = nearest
  if (changedSince) candidate.changedSince = lineRanges(changedSince)
  if (measured && known) {
    candidate.coverageCommit = known.commitSha
    candidate.coverageBehind = known.behind
    candidate.uncovered = lineRanges(measured.uncovered)
    if (measured.partialBranches.length > 0)
      candidate.partialBranches = [...measured.partialBranches].slice(0, maxLines)
    if (measured.changed.length > 0) candidate.changed = lineRanges(measured.changed)
  }
  return candidate
}

/** Enough for the longest functions; the reports have the rest. */
const maxLines = 100

const lineRanges = (ranges: Ranges) => ranges.slice(0, maxLines).map(([startLine, endLine]) => ({ startLine, endLine }))

/**
 * The first `count` in order: first those with changed lines that may not run, then those with other lines that may not
 * run, then those that only miss branches.
 */
function bestOfAll(rated: readonly Rated[], count: number): Rated[] {
  const groups: Rated[][] = [[], [], []]
  for (const entry of rated) groups[missesChangedLines(entry) ? 0 : missesLines(entry) ? 1 : 2]?.push(entry)
  const found: Rated[] = []
  for (const group of groups) if (found.length < count) found.push(...best(group, count - found.length))
  return found
}

const missesLines = ({ measured }: Rated) => !measured || measured.uncovered.length > 0 || measured.changed.length > 0

/** Whether tests do not run all of the lines that the scope counts as changed, or that is not known. */
function missesChangedLines({ measured, changedSince }: Rated): boolean {
  if (!changedSince) return false
  if (!measured) return true
  const mayNotRun = uniteRanges(measured.uncovered, measured.changed)
  return changedSince.some(([first, last]) => clipRanges(mayNotRun, first, last).length > 0)
}

/** The first `count` in order. Sorting plain numbers first spares most of the comparisons in large repositories. */
function best(rated: readonly Rated[], count: number): Rated[] {
  const scores = Float64Array.from(rated, (entry) => entry.score).toSorted()
  const threshold = scores[Math.max(0, scores.length - count)] ?? 0
  return rated
    .filter((entry) => entry.score >= threshold)
    .toSorted((a, b) => byScore(a, b) || compare(a.file.path, b.file.path))
    .slice(0, count)
}

function byScore(a: Rated, b: Rated): number {
  return b.score - a.score || a.symbol.startLine - b.symbol.startLine || compare(a.symbol.name, b.symbol.name)
}

/** By code units: the order must not depend on the machine's locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
