import type { TestCandidate } from '../../schema.ts'
import { buildGraph } from '../graph/graph.ts'
import { type SourceFile, SourceTree } from '../graph/source-tree.ts'
import type { AnalysisLimits, History, LineCoverage, SymbolFact } from '../types.ts'
import { estimatedCoverage, type Rung, rungOf } from './estimate.ts'
import { measuredCoverage } from './measured.ts'
import { nearestTests } from './nearest-tests.ts'
import { type FileReach, type SymbolReach, TestReach } from './reach.ts'
import { reasonsFor } from './reasons.ts'
import { repetitionFactor, score } from './score.ts'
import { fileWeight, isWorthTesting } from './worth.ts'

export interface RankingInput {
  files: readonly SourceFile[]
  history: History
  /** Measured coverage by path, where a report is known. */
  coverage?: ReadonlyMap<string, LineCoverage> | undefined
  /** Text of the files that `isGraphManifest` asks for, by path: without them fewer imports are resolved. */
  manifests?: ReadonlyMap<string, string> | undefined
  limits: Pick<AnalysisLimits, 'maxCandidates'>
}

export interface Ranking {
  /** The best, best first. */
  candidates: TestCandidate[]
  /** Candidates found in all. */
  candidateCount: number
}

/** One symbol with everything that its place in the ranking depends on. */
interface Rated {
  file: number
  symbol: SymbolFact
  reach: SymbolReach
  coverage: number
  measured: boolean
  score: number
}

/** Finds the symbols that most need a test. The same input gives the same answer, in the same order. */
export function rankCandidates({ files, history, coverage, manifests, limits }: RankingInput): Ranking {
  const tree = new SourceTree(files, manifests)
  const graph = buildGraph(tree)
  const tests = new TestReach(tree, graph)
  const reaches = new Map<number, { reach: FileReach; rung: Rung }>()
  const rated: Rated[] = []
  for (const [file, source] of files.entries()) {
    const symbols = source.record?.facts?.symbols ?? []
    const weight = symbols.length === 0 ? 0 : fileWeight(source)
    if (weight === 0) continue
    const reach = tests.file(file)
    const rung = rungOf(reach)
    reaches.set(file, { reach, rung })
    const churn = history.commits === 0 ? null : (history.changes.get(source.path) ?? 0)
    const fanIn = graph.importers[file]?.length ?? 0
    const lines = coverage?.get(source.path)
    const inFile: Rated[] = []
    const symbolReaches = tests.symbols(file, reach)
    for (const [index, symbol] of symbols.entries()) {
      const symbolReach = symbolReaches[index]
      if (!symbolReach || !isWorthTesting(symbol)) continue
      const known = measuredCoverage(lines, symbol)
      const share = known ?? estimatedCoverage(rung, symbolReach.closeness, symbolReach.outer)
      const value = score({ complexity: symbol.complexity, coverage: share, churn, fanIn, weight })
      // A report that shows every line covered leaves no gap to close.
      if (value > 0) inFile.push({ file, symbol, reach: symbolReach, coverage: share, measured: known !== undefined, score: value })
    }
    inFile.sort(byScore)
    for (const [position, entry] of inFile.entries()) rated.push({ ...entry, score: entry.score * repetitionFactor(position) })
  }
  rated.sort((a, b) => byScore(a, b) || compare(tree.pathOf(a.file), tree.pathOf(b.file)))

  const candidates = rated.slice(0, limits.maxCandidates).map((entry) => {
    const { file, symbol } = entry
    const path = tree.pathOf(file)
    const { reach, rung } = reaches.get(file) ?? { reach: tests.file(file), rung: 'unreached' as const }
    const fanIn = graph.importers[file]?.length ?? 0
    const nearest = nearestTests(tree, path, reach, entry.reach)
    const changes = history.changes.get(path) ?? 0
    const candidate: TestCandidate = {
      path,
      symbol: symbol.name,
      kind: symbol.kind,
      startLine: symbol.startLine,
      endLine: symbol.endLine,
      complexity: symbol.complexity,
      churn: history.commits === 0 ? null : changes,
      fanIn,
      hasTest: entry.reach.callingTests.length > 0,
      score: round(entry.score),
      reasons: reasonsFor({
        symbol,
        rung,
        reach: entry.reach,
        coverage: entry.coverage,
        measured: entry.measured,
        via: reach.via === undefined ? undefined : tree.pathOf(reach.via),
        test: nearest[0],
        churn: { commits: history.commits, changes, recent: history.recentChanges.get(path) ?? 0 },
        fanIn,
      }),
      language: tree.languageOf(file),
      exported: symbol.exported,
      coverage: round(entry.coverage),
      coverageSource: entry.measured ? 'measured' : 'estimated',
    }
    if (nearest.length > 0) candidate.nearestTests = nearest
    return candidate
  })
  return { candidates, candidateCount: rated.length }
}

function byScore(a: Rated, b: Rated): number {
  return b.score - a.score || a.symbol.startLine - b.symbol.startLine || compare(a.symbol.name, b.symbol.name)
}

/** By code units: the order must not depend on the machine's locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
