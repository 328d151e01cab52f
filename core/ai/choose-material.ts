import type { LineRange } from './cut-source.ts'
import type { FileWanted, MaterialWanted } from './read-material.ts'
import type { AiTarget } from './schema.ts'
import type { AnalysisResult, TestCandidate } from '../../engines/analysis/schema.ts'

const maxFiles = 50
const maxExamples = 3

/** Selects the files of these candidates, best first, and their nearest tests. */
export function materialForCandidates(candidates: readonly TestCandidate[]): MaterialWanted {
  const files = new Map<string, LineRange[]>()
  for (const { path, startLine, endLine } of candidates) {
    const lines = files.get(path) ?? []
    lines.push({ startLine, endLine })
    files.set(path, lines)
  }
  const sources = [...files].slice(0, maxFiles).map(([path, lines]) => ({ path, lines }))
  return { sources, examples: examplesOf(candidates.flatMap(({ nearestTests = [] }) => nearestTests)) }
}

/** Selects the file of the target, and tests as style examples. */
export function materialForTarget(analysis: AnalysisResult, target: AiTarget): MaterialWanted {
  const { path, symbol, startLine, endLine = startLine } = target
  const lines = startLine === undefined || endLine === undefined ? [] : [{ startLine, endLine }]
  const ofFile = analysis.testCandidates?.filter((candidate) => candidate.path === path) ?? []
  const nearest = [
    ...ofFile.filter((candidate) => candidate.symbol === symbol),
    ...ofFile.filter((candidate) => candidate.symbol !== symbol),
  ].flatMap(({ nearestTests = [] }) => nearestTests)
  const others = [...nearest, ...testsAround(analysis, path)].filter((other) => other !== path)
  const examples = examplesOf(others)
  return { sources: [{ path, lines }], examples }
}

const examplesOf = (paths: readonly string[]): FileWanted[] =>
  [...new Set(paths)].slice(0, maxExamples).map((path) => ({ path, lines: [] }))

/** Returns tests in the target's language, those in the closest folders first. */
function testsAround({ files }: AnalysisResult, path: string): string[] {
  const language = files.find((file) => file.path === path)?.language
  const folders = path.split('/').slice(0, -1)
  const shared = (other: string) => {
    const parting = other.split('/').findIndex((folder, depth) => folder !== folders[depth])
    return parting < 0 ? folders.length : parting
  }
  return files
    .filter(({ tags, language: of, path: other }) => tags?.includes('test') && of === language && other !== path)
    .map((file) => ({ path: file.path, shared: shared(file.path) }))
    .toSorted((a, b) => b.shared - a.shared)
    .slice(0, maxExamples)
    .map((file) => file.path)
}
