import type { AnalysisScope, ResolvedScope, TestCandidate, TestCase } from './schema.ts'
import { clipRanges, countRanges, type Ranges, uniteRanges, withoutRanges } from '../coverage/ranges.ts'
import type { SymbolFact } from '../parsing/types.ts'
import { globMatcher, isGlob } from '../source/glob.ts'
import { nearNames } from '../source/near-names.ts'
import { type ChangesOnTop, RepositoryError } from '../source/types.ts'
import type { TrackedFile } from './read-files.ts'

/** The part of a repository that candidates may come from. */
export interface Scope {
  resolved: ResolvedScope
  hasFile(path: string): boolean
  /** @param names - of a symbol and what is written in it, qualified inside their file */
  hasSymbol(names: readonly string[]): boolean
  /**
   * Returns the lines of a symbol that were added or changed; undefined if the scope is not about changes.
   *
   * @param inside - the lines of other candidates inside the symbol, which are theirs
   */
  changesOf(path: string, symbol: Pick<SymbolFact, 'startLine' | 'endLine'>, inside: Ranges): SymbolChanges | undefined
}

export interface SymbolChanges {
  /** Also true if lines were only removed. */
  isChanged: boolean
  lines: Ranges
}

/**
 * Finds the files and symbols that a scope names.
 *
 * @param onTop - what changed, for a scope with `since`
 * @throws RepositoryError with the code `scope_not_found`, naming what does not exist and the nearest names
 */
export function limitTo(scope: AnalysisScope, files: readonly TrackedFile[], onTop: ChangesOnTop | undefined): Scope {
  const paths = files.map(({ path }) => path)
  const named = namedPaths(scope.paths, paths)
  const changes = onTop && changedLines(onTop)
  const inScope = changes === undefined ? named : new Set([...named].filter((path) => changes.has(path)))
  const wanted = scope.symbols?.map(partsOf)
  if (scope.symbols) requireSymbols(scope.symbols, files, named)
  return {
    resolved: { ...scope, ...(onTop && { baseCommit: onTop.baseSha }), files: inScope.size },
    hasFile: (path) => inScope.has(path),
    hasSymbol: (names) => wanted === undefined || names.some((name) => wanted.some((parts) => isNamedBy(name, parts))),
    changesOf(path, { startLine, endLine }, inside) {
      if (!changes) return undefined
      const change = changes.get(path)
      if (!change) return { isChanged: false, lines: [] }
      const own = (ranges: Ranges) => withoutRanges(clipRanges(ranges, startLine, endLine), inside)
      const lines = own(change.lines)
      // Lines were removed between these two, so both must be of the symbol.
      const isShortened = change.removedAfter.some((line) => countRanges(own([[line, line + 1]])) === 2)
      return { isChanged: lines.length > 0 || isShortened, lines }
    },
  }
}

/** Puts the cases of changed lines first, because the others were there before the change. */
export function changedCasesFirst(candidates: readonly TestCandidate[]): TestCandidate[] {
  return candidates.map((candidate) => {
    const { cases, changedSince } = candidate
    if (!cases || !changedSince) return candidate
    const isChanged = ({ line }: TestCase) =>
      changedSince.some(({ startLine, endLine }) => startLine <= line && line <= endLine)
    return { ...candidate, cases: [...cases.filter(isChanged), ...cases.filter((one) => !isChanged(one))] }
  })
}

export interface FileChanges {
  lines: Ranges
  /** Where lines were removed and none put in their place. */
  removedAfter: readonly number[]
}

const maxLine = 2 ** 31

/** The changed lines of each file that is new or has changed lines. */
export function changedLines({ changes }: ChangesOnTop): Map<string, FileChanges> {
  const found = new Map<string, FileChanges>()
  for (const path of changes.added) found.set(path, { lines: [[1, maxLine]], removedAfter: [] })
  for (const [path, { hunks }] of changes.changed) {
    // A file that was only renamed has no changed code.
    if (hunks.length === 0) continue
    const lines = hunks.flatMap(({ newStart, newLines }) =>
      newLines === 0 ? [] : [[newStart, newStart + newLines - 1] as const],
    )
    const removedAfter = hunks.flatMap(({ newStart, newLines }) => (newLines === 0 ? [newStart] : []))
    found.set(path, { lines: uniteRanges(lines, []), removedAfter })
  }
  return found
}

/**
 * Returns the paths that files, folders and globs name; all of them if nothing is wanted.
 *
 * @throws RepositoryError with the code `scope_not_found`, naming what does not exist and the nearest names
 */
export function namedPaths(wanted: readonly string[] | undefined, paths: readonly string[]): Set<string> {
  if (wanted === undefined) return new Set(paths)
  const found = new Set<string>()
  const missing: string[] = []
  for (const text of wanted) {
    const named = pathsNamed(text, paths)
    if (named.length === 0) missing.push(text)
    for (const path of named) found.add(path)
  }
  if (missing.length > 0) throw notFound('paths', 'file or folder', missing, () => [...paths, ...foldersOf(paths)])
  return found
}

/** Reads a text as a file or a folder, else as a glob. */
function pathsNamed(text: string, paths: readonly string[]): string[] {
  const clean = text
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '.' && part !== '')
    .join('/')
  if (clean === '') return [...paths]
  const found = paths.filter((path) => path === clean || path.startsWith(`${clean}/`))
  if (found.length > 0 || !isGlob(clean)) return found
  const [matches, isBelow] = [globMatcher(clean), globMatcher(`${clean}/**`)]
  return paths.filter((path) => matches(path) || isBelow(path))
}

function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}

/** Other languages separate the parts of a name by other signs. */
const partsOf = (name: string) => name.replaceAll('::', '.').split('.')

/** Whether the parts follow each other in the name: `add` and `Queue` name `Queue.add`, and so does `Queue.add`. */
function isNamedBy(name: string, wanted: readonly string[]): boolean {
  const parts = partsOf(name)
  return parts.some((_, start) => wanted.every((part, index) => parts[start + index] === part))
}

function requireSymbols(wanted: readonly string[], files: readonly TrackedFile[], named: ReadonlySet<string>): void {
  const namesOf = (file: TrackedFile) => file.record?.facts?.symbols.map(({ name }) => name) ?? []
  const names = new Set(files.filter(({ path }) => named.has(path)).flatMap(namesOf))
  const byPart = new Map<string, string[]>()
  for (const name of names) {
    for (const part of new Set(partsOf(name))) push(byPart, part, name)
  }
  const missing = wanted.filter((text) => {
    const parts = partsOf(text)
    return !byPart.get(parts[0] ?? '')?.some((name) => isNamedBy(name, parts))
  })
  const [first] = missing
  if (first === undefined) return
  const parts = partsOf(first)
  const elsewhere = files.find((file) => !named.has(file.path) && namesOf(file).some((name) => isNamedBy(name, parts)))
  throw notFound('symbols', 'symbol', missing, () => names, elsewhere?.path)
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

const maxNamed = 3

function notFound(
  field: string,
  what: string,
  missing: readonly string[],
  names: () => Iterable<string>,
  elsewhere?: string,
): RepositoryError {
  const shown = missing.slice(0, maxNamed).map((text) => JSON.stringify(text.slice(0, 200)))
  const more = missing.length > shown.length ? ` and ${missing.length - shown.length} more` : ''
  const near = elsewhere === undefined ? nearNames(missing[0] ?? '', names()) : []
  const advice =
    elsewhere !== undefined
      ? ` ${elsewhere} has it.`
      : near.length > 0
        ? ` The nearest names are: ${near.join(', ')}.`
        : ''
  return new RepositoryError(
    'scope_not_found',
    `${field}: the repository has no ${what} ${shown.join(', ')}${more}${elsewhere === undefined ? '' : ' in these paths'}.${advice}`,
  )
}
