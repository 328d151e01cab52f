import type { TestCandidate } from '../schema.ts'
import { buildGraph, type ImportGraph } from '../graph/graph.ts'
import { type SourceFile, SourceTree } from '../graph/source-tree.ts'
import type { CarriedFile } from '../../coverage/carry-over.ts'
import { hasLine, type Ranges, uniteRanges } from '../../coverage/ranges.ts'
import type { AnalysisLimits, KnownCoverage } from '../types.ts'
import type { SymbolFact } from '../../parsing/types.ts'
import type { History } from '../../source/types.ts'
import { type Callers, callersOf } from './callers.ts'
import { CallReach, type SymbolReach } from './call-reach.ts'
import { estimatedCoverage, rungOf } from './estimate.ts'
import { FileReaches } from './file-reach.ts'
import { measureSymbol } from './measured.ts'
import { nearestTests } from './nearest-tests.ts'
import { foldNested } from './nested.ts'
import { byScore, firstInOrder, type Placed, type Rated, type RatedFile } from './order.ts'
import { ownerTests } from './owner-tests.ts'
import { PublicEntries } from './public-entries.ts'
import { reasonsFor } from './reasons.ts'
import { repetitionFactor, score } from './score.ts'
import { type FileStrength, gapWith, strengthOfSymbol, type SymbolStrength } from './strength.ts'
import type { Scope } from '../scope.ts'
import { isWorthTesting, ProductPlaces } from './worth.ts'

export interface RankingInput {
  files: readonly SourceFile[]
  history: History
  coverage?: KnownCoverage | undefined
  /** What measurements of strength found in the files as they are, by path. */
  strength?: ReadonlyMap<string, FileStrength> | undefined
  /** Text of the files that `isGraphManifest` asks for, by path: without them fewer imports are resolved. */
  manifests?: ReadonlyMap<string, string> | undefined
  /** What the caller knows of these files. */
  known?: { tree: SourceTree; graph: ImportGraph; reaches: FileReaches } | undefined
  limits: Pick<AnalysisLimits, 'maxCandidates'>
  /** Limits the candidates. */
  scope?: Scope | undefined
}

export interface Ranking {
  /** The best, best first. */
  candidates: TestCandidate[]
  /** The tests that call each of them. */
  callers: ReadonlyMap<TestCandidate, Callers>
  /** Candidates found in all. */
  candidateCount: number
}

/** Finds the symbols that most need a test. The same input gives the same answer, in the same order. */
export function rankCandidates(input: RankingInput): Ranking {
  const { files, history, coverage, strength, manifests, known, limits, scope } = input
  const tree = known?.tree ?? new SourceTree(files, manifests)
  const graph = known?.graph ?? buildGraph(tree)
  const fileReaches = known?.reaches ?? new FileReaches(tree, graph)
  const calls = new CallReach(tree, graph, fileReaches)
  const places = new ProductPlaces(tree)
  const support = new Set(fileReaches.support)
  const rated: Rated[] = []
  for (const [id, source] of files.entries()) {
    if (!source.record?.facts || support.has(id) || scope?.hasFile(source.path) === false) continue
    const reach = fileReaches.of(id)
    const place = places.of(source, reach)
    if (place === 'left out') continue
    const { path, language } = source
    const file: RatedFile = {
      id,
      path,
      language,
      reach,
      isBeside: place === 'beside',
      churn: history.commits === 0 ? null : (history.changes.get(path) ?? 0),
      recentChanges: history.recentChanges.get(path) ?? 0,
      fanIn: graph.importers[id]?.length ?? 0,
    }
    const lines = coverage?.files.get(path)
    const ofFile = rateSymbols(file, source.record.facts.symbols, calls.of(id), {
      lines,
      strength: strength?.get(path),
      scope,
    })
    ofFile.sort(byScore)
    for (const [position, entry] of ofFile.entries()) entry.score *= repetitionFactor(position)
    for (const entry of ofFile) rated.push(entry)
  }
  const entries = new PublicEntries(tree, graph, calls.symbols)
  const entryOf = ({ file, index }: Rated) => entries.of(file.id, index)
  // The name of a public entry also means the private symbols behind it.
  const wanted = scope
    ? rated.filter((entry) => scope.hasSymbol(entry.names) || scope.hasSymbol([entryOf(entry)?.symbol.name ?? '']))
    : rated
  const first = firstInOrder(wanted, limits.maxCandidates, entryOf)
  const facts = { tree, commits: history.commits, coverage, scope }
  const callers = new Map(
    first.map((entry) => {
      const subject = entry.through ?? calls.symbols.of(entry.file.id)[entry.index]
      const owners = subject ? ownerTests(tree, calls.symbols, subject) : []
      return [candidateOf(entry, owners, facts), callersOf(tree, entry, owners)]
    }),
  )
  return { candidates: [...callers.keys()], callers, candidateCount: wanted.length }
}

interface Known {
  lines: CarriedFile | undefined
  strength: FileStrength | undefined
  scope: Scope | undefined
}

function rateSymbols(
  file: RatedFile,
  all: readonly SymbolFact[],
  reaches: readonly SymbolReach[],
  { lines, strength, scope }: Known,
): Rated[] {
  const rung = rungOf(file.reach)
  const rated: Rated[] = []
  const folded = foldNested(all)
  const symbols = folded.map(({ symbol }) => symbol)
  for (const [position, { symbol, index }] of folded.entries()) {
    const reach = reaches[index]
    if (!reach || !isWorthTesting(symbol)) continue
    const estimate = estimatedCoverage(rung, reach, symbol)
    const inside = lines || strength || scope ? candidatesInside(symbols, position) : []
    const changes = scope?.changesOf(file.path, symbol, inside)
    if (changes?.isChanged === false) continue
    const measured = measureSymbol(lines, symbol, inside, estimate)
    const { churn, fanIn, isBeside } = file
    const { complexity, statements } = symbol
    const noticed = strengthOfSymbol(strength, symbol, inside)
    const gap = gapWith(noticed, measured?.gap ?? 1 - estimate)
    const value = score({ complexity, statements, gap, churn, fanIn, isBeside })
    // Where tests run every line and branch, and notice every change, there is no gap to close.
    if (value <= 0) continue
    const coverage = measured?.share ?? estimate
    const names = scope?.resolved.symbols ? namesWithin(all, index, inside) : [symbol.name]
    rated.push({
      file,
      symbol,
      index,
      reach,
      coverage,
      measured,
      strength: noticed,
      score: value,
      names,
      changedSince: changes?.lines,
    })
  }
  return rated
}

/** The names of a symbol and of those that are written in it and are no candidates of their own. */
function namesWithin(all: readonly SymbolFact[], index: number, inside: Ranges): string[] {
  const names: string[] = []
  const around = all[index]
  if (around) names.push(around.name)
  for (const { name, startLine, endLine } of symbolsInside(all, index)) {
    if (around && around.startLine < startLine && endLine <= around.endLine && !hasLine(inside, startLine))
      names.push(name)
  }
  return names
}

/** The symbols that begin on the lines of one. They follow it in the list. */
function* symbolsInside(symbols: readonly SymbolFact[], index: number): Iterable<SymbolFact> {
  const around = symbols[index]
  // Symbols on one line, as in minified files, have none that is smaller.
  if (!around || around.startLine === around.endLine) return
  for (let next = index + 1; ; next += 1) {
    const symbol = symbols[next]
    if (!symbol || symbol.startLine > around.endLine) return
    yield symbol
  }
}

/** The lines of the symbols inside of another that are candidates themselves. */
function candidatesInside(symbols: readonly SymbolFact[], index: number): Ranges {
  const around = symbols[index]
  const inside: [number, number][] = []
  if (!around) return inside
  for (const symbol of symbolsInside(symbols, index)) {
    const isSmaller = symbol.endLine - symbol.startLine < around.endLine - around.startLine
    if (isSmaller && symbol.endLine <= around.endLine && isWorthTesting(symbol)) {
      inside.push([symbol.startLine, symbol.endLine])
    }
  }
  return uniteRanges(inside, [])
}

interface RankingFacts {
  tree: SourceTree
  commits: number
  coverage: KnownCoverage | undefined
  scope: Scope | undefined
}

function candidateOf(
  { file, symbol, reach, coverage, measured, strength, score: value, through, changedSince }: Placed,
  owners: readonly number[],
  { tree, commits, coverage: known, scope }: RankingFacts,
) {
  const { path, fanIn, churn } = file
  const from = known?.files.get(path)?.from ?? known
  const nearest = nearestTests(tree, { path, name: symbol.name, owners }, file.reach, reach)
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
      strength,
      fileRuns: (known?.files.get(path)?.covered.length ?? 0) > 0,
      known: from,
      language: file.language,
      path,
      via: file.reach.via === undefined ? undefined : tree.pathOf(file.reach.via),
      test: nearest[0],
      through: through && {
        file: through.file,
        symbol: through.symbol,
        isReached: through.steps < Infinity,
        relation: through.relation,
        from: through.from,
        isNamed: through.isNamed,
        test: through.tests[0] === undefined ? undefined : tree.pathOf(through.tests[0]),
      },
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
  if (through) {
    const { name, startLine, endLine } = through.symbol
    candidate.through = { path: tree.pathOf(through.file), symbol: name, startLine, endLine }
  }
  if (nearest.length > 0) candidate.nearestTests = nearest
  if (strength) candidate.strength = presentStrength(strength)
  if (changedSince) candidate.changedSince = lineRanges(changedSince)
  if (measured && from) {
    candidate.coverageCommit = from.commitSha
    candidate.coverageBehind = from.behind
    candidate.uncovered = lineRanges(measured.uncovered)
    if (measured.partialBranches.length > 0)
      candidate.partialBranches = [...measured.partialBranches].slice(0, maxLines)
    if (measured.changed.length > 0) candidate.changed = lineRanges(measured.changed)
  }
  return candidate
}

const presentStrength = ({ tried, survived, survivors, commitSha }: SymbolStrength): TestCandidate['strength'] => ({
  tried,
  noticed: tried - survived,
  survived,
  commitSha,
  survivors: survivors.map(([line, original, replacement]) => ({ line, original, replacement })),
})

/** Enough for the longest functions; the reports have the rest. */
const maxLines = 100

const lineRanges = (ranges: Ranges) => ranges.slice(0, maxLines).map(([startLine, endLine]) => ({ startLine, endLine }))

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
