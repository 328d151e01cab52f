import { type Fields, fields, property, readJson, text } from '../configuration.ts'
import { ancestors, baseName, directoryOf, joinPath } from '../paths.ts'
import type { FilePaths } from '../file-paths.ts'

/** A package.json of the repository. */
export interface Package {
  directory: string
  manifest: Fields
}

const conditions = new Set(['source', 'development', 'types', 'import', 'module', 'node', 'require', 'default'])
const maxTargets = 50

/** The packages that a repository itself consists of. */
export class Packages {
  readonly #byName = new Map<string, Package>()
  readonly #byDirectory = new Map<string, Package>()

  constructor(files: FilePaths) {
    const paths = [...files.manifests.keys()].filter((path) => baseName(path) === 'package.json')
    // Fixtures repeat the names of real packages; those lie deeper.
    paths.sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
    for (const path of paths) {
      const manifest = readJson(files.manifests.get(path))
      if (!manifest) continue
      const found = { directory: directoryOf(path), manifest }
      this.#byDirectory.set(found.directory, found)
      const name = text(property(manifest, 'name'))
      if (name && !this.#byName.has(name)) this.#byName.set(name, found)
    }
  }

  /** The package that a bare specifier starts with, and what is asked of it: `.` or `./part`. */
  find(specifier: string): { package: Package; subpath: string } | undefined {
    const slash = specifier.indexOf('/', specifier.startsWith('@') ? specifier.indexOf('/') + 1 : 0)
    const name = slash === -1 ? specifier : specifier.slice(0, slash)
    const found = this.#byName.get(name)
    return found && { package: found, subpath: slash === -1 ? '.' : `.${specifier.slice(slash)}` }
  }

  in(directory: string): Package | undefined {
    return this.#byDirectory.get(directory)
  }

  /** The package that the files of a directory belong to. */
  around(directory: string): Package | undefined {
    for (const place of ancestors(directory)) {
      const found = this.#byDirectory.get(place)
      if (found) return found
    }
    return undefined
  }
}

/** Files that a package offers under `subpath`, as its manifest says: they may be built ones. Best first. */
export function packageTargets({ directory, manifest }: Package, subpath: string): string[] {
  const targets: string[] = []
  const exported = property(manifest, 'exports')
  if (exported !== undefined && exported !== null) collectEntry(asEntries(exported), subpath, targets)
  if (subpath === '.') {
    for (const key of ['source', 'module', 'main', 'types', 'typings']) {
      const target = text(property(manifest, key))
      if (target) targets.push(target)
    }
  } else {
    targets.push(subpath)
  }
  const places = targets.slice(0, maxTargets).map((target) => joinPath(directory, target.replace(/^\/+/, '')))
  return [...new Set(places.filter((place) => place !== undefined))]
}

/** Targets of `#name` in the manifest's `imports`; those that are not paths are specifiers themselves. */
export function importTargets({ manifest }: Package, specifier: string): string[] {
  const targets: string[] = []
  collectEntry(fields(property(manifest, 'imports')), specifier, targets)
  return targets.slice(0, maxTargets)
}

function asEntries(exported: unknown): Fields {
  const entries = fields(exported)
  const isSubpaths = entries && Object.keys(entries).some((key) => key.startsWith('.'))
  return isSubpaths ? entries : { '.': exported }
}

function collectEntry(entries: Fields | undefined, wanted: string, targets: string[]): void {
  if (!entries) return
  const exact = property(entries, wanted)
  if (exact !== undefined) return collectTargets(exact, '', targets)
  let best: { key: string; part: string } | undefined
  for (const key of Object.keys(entries)) {
    const star = key.indexOf('*')
    const prefix = star === -1 ? key : key.slice(0, star)
    const suffix = star === -1 ? '' : key.slice(star + 1)
    if (star === -1 && !key.endsWith('/')) continue
    if (!wanted.startsWith(prefix) || !wanted.endsWith(suffix)) continue
    if (wanted.length < prefix.length + suffix.length) continue
    if (best && best.key.length >= key.length) continue
    best = { key, part: wanted.slice(prefix.length, wanted.length - suffix.length) }
  }
  if (!best) return
  const value = property(entries, best.key)
  collectTargets(value, best.part, targets, best.key.endsWith('/'))
}

/** Conditions in the order of the manifest: sources hide behind any of them. */
function collectTargets(value: unknown, part: string, targets: string[], folder = false): void {
  const open: unknown[] = [value]
  while (open.length > 0 && targets.length < maxTargets) {
    const next = open.shift()
    if (typeof next === 'string') targets.push(folder ? next + part : next.replaceAll('*', () => part))
    else if (Array.isArray(next)) open.unshift(...next.slice(0, maxTargets))
    else {
      const entries = fields(next)
      if (!entries) continue
      open.unshift(
        ...Object.keys(entries)
          .filter((key) => conditions.has(key))
          .map((key) => entries[key]),
      )
    }
  }
}
