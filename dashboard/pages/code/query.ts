import { client, type Inputs, type Outputs, trpc } from '../../api.ts'
import { parseRanges } from '../../parts/ranges.ts'

/** A file of a commit or snapshot; without both, of the run, or of the latest one with coverage. */
export interface CodeSearch {
  path?: string | undefined
  commit?: string | undefined
  snapshot?: string | undefined
  /** The run whose coverage is shown. */
  run?: string | undefined
  line?: number | undefined
  /** Of the list of files, without `path`. */
  folder?: string | undefined
  find?: string | undefined
}

export type CodeFile = Outputs['code']['getFile']
export type Lines = Outputs['code']['getLines']
export type Survivor = CodeFile['survivors'][number]

export function fileInput(
  projectId: string,
  { path, commit, snapshot, run }: CodeSearch,
): Inputs['code']['getFile'] | undefined {
  if (path === undefined) return undefined
  const state = run ? { runId: run } : snapshot ? { snapshotId: snapshot } : commit ? { commitSha: commit } : {}
  return { projectId, path, ...state }
}

export const pageSize = 500

/** The lines of one page of a file. They never change. */
export function linesQuery(projectId: string, { path, commitSha, snapshotId }: CodeFile, page: number) {
  const state = snapshotId === null ? { commitSha } : { snapshotId }
  const input = { projectId, path, ...state, from: page * pageSize + 1, limit: pageSize }
  return {
    queryKey: trpc.code.getLines.queryKey(input),
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Lines> => client.code.getLines.query(input, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  }
}

export type Mark = 'covered' | 'uncovered' | 'partial'

/** What is known of single lines of a file. */
export interface LineFacts {
  marks: ReadonlyMap<number, Mark>
  branches: ReadonlyMap<number, { taken: number; total: number }>
  survivors: ReadonlyMap<number, readonly Survivor[]>
  tried: ReadonlyMap<number, { tried: number; survived: number }>
  /** Names of symbols by the line where they begin. */
  symbols: ReadonlyMap<number, CodeFile['symbols'][number]>
  /** The first line of each group of lines that no test runs or that are partly covered. */
  stops: readonly number[]
  /** The first line of each group of lines that no test runs. */
  uncovered: readonly number[]
  /** The first line of each group of lines of which tests do not take every branch. */
  partial: readonly number[]
}

export function factsOf({ coverage, survivors, strength, symbols }: CodeFile): LineFacts {
  const marks = new Map<number, Mark>()
  for (const [from, to] of parseRanges(coverage?.covered ?? '')) fill(marks, from, to, 'covered')
  for (const [from, to] of parseRanges(coverage?.uncovered ?? '')) fill(marks, from, to, 'uncovered')
  const branches = new Map((coverage?.branches ?? []).map(({ line, taken, total }) => [line, { taken, total }]))
  for (const [line, { taken, total }] of branches) {
    if (marks.get(line) === 'covered' && taken < total) marks.set(line, 'partial')
  }
  return {
    marks,
    branches,
    survivors: Map.groupBy(survivors, ({ line }) => line),
    tried: new Map((strength?.lines ?? []).map(({ line, tried, survived }) => [line, { tried, survived }])),
    symbols: new Map(symbols.map((symbol) => [symbol.startLine, symbol])),
    stops: beginnings(marks, ['uncovered', 'partial']),
    uncovered: beginnings(marks, ['uncovered']),
    partial: beginnings(marks, ['partial']),
  }
}

/** The first line of each group of adjacent lines with one of the marks. */
function beginnings(marks: LineFacts['marks'], wanted: readonly Mark[]): readonly number[] {
  const lines = [...marks].filter(([, mark]) => wanted.includes(mark)).map(([line]) => line)
  lines.sort((a, b) => a - b)
  return lines.filter((line, index) => lines[index - 1] !== line - 1)
}

function fill(marks: Map<number, Mark>, from: number, to: number, mark: Mark): void {
  for (let line = from; line <= to; line++) marks.set(line, mark)
}
