import { plainText, relativePath } from '../reports/text.ts'
import type { CoverageOptions } from './coverage.ts'
import { inModuleFolder } from './find-modules.ts'

/** The name of a file in a report. */
export interface ReportedName {
  /** Most likely first: a file below each of several source folders. */
  names: readonly string[]
  /** The module of a build, which distinguishes files of the same package and name. */
  module?: string | null
  /** The name begins with the name of a Go module, so that a file of the repository's own folder has a folder here. */
  afterModuleName?: boolean
}

export type ResolvedPath =
  | { kind: 'file'; path: string }
  /** The name fits several files. `path` is the name itself where it can stand for a path. */
  | { kind: 'ambiguous'; path: string | null }
  | { kind: 'outside' }

/** Bytes, well below the limit of an index of the database. */
const maxPathBytes = 2000

const outside: ResolvedPath = { kind: 'outside' }

// Folders of dependencies and systems. Files in them count only if the commit contains them.
const foreign =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.venv|\.tox|\.nox|pkg\/mod|\.cargo|\.rustup|\.m2)\/|^\/(?:usr\/(?:local\/)?(?:lib|lib64|include|share|go)|lib|lib64|nix)\//

const absolute = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/

export function isAbsolute(name: string): boolean {
  return absolute.test(name)
}

/** Whether the name may be of a file in a checkout at an unknown place: absolute, and not of an installed package. */
export function mayBeInCheckout(name: string): boolean {
  return isAbsolute(name) && !foreign.test(name.replaceAll('\\', '/'))
}

/** Finds the path in the repository for a name in a report. */
export function createPathFinder({
  roots,
  paths,
  goModules = [],
}: Pick<CoverageOptions, 'roots' | 'paths' | 'goModules'>): (reported: ReportedName) => ResolvedPath {
  const deepestFirst = roots.toSorted((a, b) => b.length - a.length)
  const known = paths && new Set(paths)
  const index = paths && indexByEnd(paths)
  // A module may be in a folder of another one, and begin with its name.
  const modules = goModules.toSorted((a, b) => b.path.length - a.path.length)

  return ({ names: reported, module = null, afterModuleName = false }) => {
    const names = afterModuleName ? reported.map((name) => inModuleFolder(name, modules)) : reported
    // A name with control characters is of no file of a repository. Without them it could be that of another file.
    const plain = names.filter((name) => plainText(name).trim() === name.trim())
    const candidates = plain.map((name) => {
      const given = name.trim().replaceAll('\\', '/')
      const path = relativePath(given, deepestFirst)
      return { given, path: path !== null && Buffer.byteLength(path) <= maxPathBytes ? path : null }
    })
    for (const { path } of candidates) if (path !== null && known?.has(path)) return { kind: 'file', path }

    const own = candidates.filter(({ given, path }) => !foreign.test(path ?? given))
    if (index === null) {
      const path = own.find(({ path }) => path !== null)?.path
      return path ? { kind: 'file', path } : outside
    }
    for (const { given, path } of own) {
      const found = findByEnd(index, path ?? given, afterModuleName || path === null)
      const [only = null] = found
      if (found.length === 1 && only !== null) return { kind: 'file', path: only }
      if (found.length === 0) continue
      const inModule = module === null ? [] : found.filter((each) => each.split('/').includes(module))
      const [chosen] = inModule
      return inModule.length === 1 && chosen !== undefined
        ? { kind: 'file', path: chosen }
        : { kind: 'ambiguous', path }
    }
    return outside
  }
}

/** Returns the paths with reversed segments and a final slash, sorted: paths with the same end are neighbors. */
function indexByEnd(paths: readonly string[]): string[] {
  return paths.map((path) => `${reversedSegments(path).join('/')}/`).toSorted()
}

function reversedSegments(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .toReversed()
}

/**
 * Finds the files that share the longest end with a name. One segment is enough only if it is the whole name or, for
 * names that begin with folders above the repository, the whole path.
 */
function findByEnd(index: string[], name: string, hasPrefix: boolean): string[] {
  const segments = reversedSegments(name)
  let end = ''
  let depth = 0
  let [from, to] = [0, 0]
  for (const segment of segments) {
    const longer = `${end}${segment}/`
    const first = lowerBound(index, longer)
    const last = lowerBound(index, `${longer}\uffff`)
    if (first === last) break
    ;[end, from, to] = [longer, first, last]
    depth++
  }
  if (depth === 0) return []
  const isWholePath = index[from] === end
  if (depth === 1 && segments.length > 1 && !(isWholePath && hasPrefix)) return []
  // A module would not distinguish more of them.
  const found = isWholePath ? [end] : index.slice(from, Math.min(to, from + 1000))
  return found.map((each) => reversedSegments(each).join('/'))
}

function lowerBound(sorted: string[], text: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') < text) low = middle + 1
    else high = middle
  }
  return low
}
