import { type Fields, fields, property, readJson, text, texts } from '../configuration.ts'
import { ancestors, directoryOf, joinPath } from '../paths.ts'
import type { FilePaths } from '../file-paths.ts'

/** The part of a tsconfig or jsconfig that says where modules are. */
interface ModulePaths {
  /** Directory that non-relative specifiers may start from. */
  baseUrl: string | undefined
  patterns: { prefix: string; suffix: string; exact: boolean; targets: string[] }[]
}

const maxConfigs = 50
const maxPatterns = 1_000

/** Module paths of the tsconfig and jsconfig files of a repository. */
export class TsconfigPaths {
  readonly #paths: FilePaths
  readonly #findPackage: (specifier: string) => string | undefined
  readonly #parsed = new Map<string, Fields | undefined>()
  readonly #byDirectory = new Map<string, ModulePaths[]>()

  /** `findPackage` gives the path of a file of a package in the repository: `extends` may name one. */
  constructor(paths: FilePaths, findPackage: (specifier: string) => string | undefined) {
    this.#paths = paths
    this.#findPackage = findPackage
  }

  /**
   * Places where `specifier`, written in `directory`, may be, best first. The configuration of an outer directory
   * counts after those further in: a wrong guess does no harm, as only what exists is taken.
   */
  *candidates(specifier: string, directory: string): Iterable<string> {
    for (const around of ancestors(directory)) {
      for (const { patterns, baseUrl } of this.#inDirectory(around)) {
        let best: (typeof patterns)[number] | undefined
        for (const pattern of patterns) {
          if (!matches(pattern, specifier)) continue
          if (pattern.exact) {
            best = pattern
            break
          }
          if (!best || pattern.prefix.length > best.prefix.length) best = pattern
        }
        if (best) {
          const part = best.exact ? '' : specifier.slice(best.prefix.length, specifier.length - best.suffix.length)
          for (const target of best.targets) yield target.replace('*', () => part)
        }
        if (baseUrl === undefined) continue
        const place = joinPath(baseUrl, specifier)
        if (place !== undefined) yield place
      }
    }
  }

  /** Whether a pattern other than `*` is for the specifier, whatever exists there. */
  maps(specifier: string, directory: string): boolean {
    for (const around of ancestors(directory)) {
      for (const { patterns } of this.#inDirectory(around)) {
        if (patterns.some((pattern) => (pattern.exact || pattern.prefix !== '') && matches(pattern, specifier)))
          return true
      }
    }
    return false
  }

  #inDirectory(directory: string): ModulePaths[] {
    let known = this.#byDirectory.get(directory)
    if (!known) {
      known = []
      for (const name of ['tsconfig.json', 'jsconfig.json']) {
        const path = directory === '' ? name : `${directory}/${name}`
        if (this.#paths.manifests.has(path)) known.push(...this.#read(path))
      }
      this.#byDirectory.set(directory, known)
    }
    return known
  }

  /** The file's own paths, or those it extends, and the paths of the projects that it only refers to. */
  #read(path: string): ModulePaths[] {
    const found: ModulePaths[] = []
    const visited = new Set<string>()
    const own = this.#withBases(path, directoryOf(path), visited)
    if (own) found.push(own)
    const references = property(this.#config(path), 'references')
    if (!Array.isArray(references)) return found
    for (const reference of references.slice(0, maxConfigs)) {
      const place = text(property(fields(reference), 'path'))
      const target = place === undefined ? undefined : this.#existing(joinPath(directoryOf(path), place))
      // A project of another directory speaks for that directory.
      if (!target || directoryOf(target) !== directoryOf(path)) continue
      const paths = this.#withBases(target, directoryOf(target), visited)
      if (paths) found.push(paths)
    }
    return found
  }

  #withBases(path: string, leaf: string, visited: Set<string>): ModulePaths | undefined {
    if (visited.has(path) || visited.size >= maxConfigs) return undefined
    visited.add(path)
    const config = this.#config(path)
    if (!config) return undefined
    const directory = directoryOf(path)
    const options = fields(property(config, 'compilerOptions'))
    const baseUrl = text(property(options, 'baseUrl'))
    const base = baseUrl === undefined ? undefined : inPlace(baseUrl, directory, leaf)
    const paths = fields(property(options, 'paths'))
    let inherited: ModulePaths | undefined
    if (base === undefined || !paths) {
      // The last of several bases wins.
      for (const specifier of texts(property(config, 'extends')).toReversed()) {
        const target = this.#extended(specifier, directory)
        inherited ??= target === undefined ? undefined : this.#withBases(target, leaf, visited)
      }
    }
    if (base === undefined && !paths) return inherited
    return {
      baseUrl: base ?? inherited?.baseUrl,
      patterns: paths
        ? readPatterns(paths, base ?? inherited?.baseUrl ?? directory, leaf)
        : (inherited?.patterns ?? []),
    }
  }

  #extended(specifier: string, directory: string): string | undefined {
    if (specifier.startsWith('.')) return this.#existing(joinPath(directory, specifier))
    return this.#existing(this.#findPackage(specifier))
  }

  #existing(place: string | undefined): string | undefined {
    if (place === undefined) return undefined
    const inside = place === '' ? 'tsconfig.json' : `${place}/tsconfig.json`
    return [place, `${place}.json`, inside].find((path) => this.#paths.manifests.has(path))
  }

  #config(path: string): Fields | undefined {
    if (!this.#parsed.has(path)) this.#parsed.set(path, readJson(this.#paths.manifests.get(path)))
    return this.#parsed.get(path)
  }
}

function readPatterns(paths: Fields, base: string, leaf: string): ModulePaths['patterns'] {
  return Object.entries(paths)
    .slice(0, maxPatterns)
    .map(([key, value]) => {
      const star = key.indexOf('*')
      const targets = texts(value).map((target) => inPlace(target, base, leaf))
      return {
        prefix: star === -1 ? key : key.slice(0, star),
        suffix: star === -1 ? '' : key.slice(star + 1),
        exact: star === -1,
        targets: targets.filter((target) => target !== undefined),
      }
    })
}

function matches(pattern: { prefix: string; suffix: string; exact: boolean }, specifier: string): boolean {
  if (pattern.exact) return specifier === pattern.prefix
  return (
    specifier.length >= pattern.prefix.length + pattern.suffix.length &&
    specifier.startsWith(pattern.prefix) &&
    specifier.endsWith(pattern.suffix)
  )
}

/** `${configDir}` is the directory of the configuration that was asked for, not of the one that it extends. */
function inPlace(value: string, directory: string, leaf: string): string | undefined {
  const template = '${configDir}'
  if (value.startsWith(template)) return joinPath(leaf, `./${value.slice(template.length)}`)
  return joinPath(directory, value)
}
