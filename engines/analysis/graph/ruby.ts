import type { LinkCollector, Resolver, ResolverFamily } from './links.ts'
import { DeclaredNames } from './named-types.ts'
import { baseName, directoryOf, joinPath, sharedSegments } from './paths.ts'
import type { SourceTree } from './source-tree.ts'

const loadPaths = new Set(['lib', 'app', 'src', 'test', 'spec', 'ext', 'features'])

export const ruby: ResolverFamily = {
  languages: ['Ruby'],
  create: (tree, files) => new RubyResolver(tree, files),
}

/**
 * `require` against everything that may be a load path, and constants by name: Zeitwerk and `autoload` load a file
 * when its constant is mentioned.
 */
class RubyResolver implements Resolver {
  readonly #tree: SourceTree
  /** Files by what `require` calls them, whichever directory of theirs is on the load path. */
  readonly #features = new Map<string, number[]>()
  readonly #constants = new DeclaredNames()
  /** Modules that hold other constants, in whichever file. */
  readonly #wrapping = new Set<string>()

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    for (const file of files) {
      const path = tree.pathOf(file)
      for (const feature of features(path)) {
        const known = this.#features.get(feature)
        if (known) known.push(file)
        else this.#features.set(feature, [file])
      }
      for (const { name } of tree.facts(file)?.exports ?? []) {
        for (const outer of outerConstants(name)) this.#wrapping.add(outer)
      }
    }
    for (const file of files) {
      for (const constant of this.#ownConstants(file)) this.#constants.add(constant, file)
    }
    // Files that could not be parsed are still found by Zeitwerk's rule.
    for (const [file, { path, record }] of tree.files.entries()) {
      if (path.endsWith('.rb') && !record?.facts) this.#constants.add(camelize(baseName(path).slice(0, -3)), file)
    }
  }

  link(links: LinkCollector): void {
    const { from } = links
    const path = this.#tree.pathOf(from)
    for (const { specifier, names } of this.#tree.facts(from)?.imports ?? []) {
      const target = this.#required(specifier, path)
      // `autoload` only announces a file; the file that mentions the constant loads it.
      if (target !== undefined) links.add(target, [], { passesOn: names.length > 0 })
    }
    for (const reference of this.#tree.references(from)) {
      if (!/^\p{Lu}/u.test(reference)) continue
      for (const file of nearest(this.#tree, path, this.#constants.filesOf(reference))) links.add(file, [reference])
    }
  }

  #required(specifier: string, path: string): number | undefined {
    const feature = specifier.replace(/\.rb$/, '')
    if (/^\.\.?\//.test(feature)) return this.#tree.idOf(`${joinPath(directoryOf(path), feature)}.rb`)
    return nearest(this.#tree, path, this.#features.get(feature) ?? [])[0]
  }

  /**
   * Constants that a file is there for, by their last part: a module that only wraps others around it is opened
   * again by every file of a library.
   */
  #ownConstants(file: number): Set<string> {
    const facts = this.#tree.facts(file)
    const withCode = new Set<string>()
    for (const symbol of facts?.symbols ?? []) {
      const dot = symbol.name.lastIndexOf('.')
      if (dot !== -1 && symbol.kind !== 'class') withCode.add(symbol.name.slice(0, dot).replaceAll('.', '::'))
    }
    const own = new Set<string>()
    for (const { name } of facts?.exports ?? []) {
      if (!this.#wrapping.has(name) || withCode.has(name)) own.add(name.slice(name.lastIndexOf(':') + 1))
    }
    return own
  }
}

/** What `require` may call a file: its path seen from each directory around it that is commonly a load path. */
function* features(path: string): Iterable<string> {
  if (!path.endsWith('.rb')) return
  const segments = path.slice(0, -3).split('/')
  yield segments.join('/')
  for (let start = 1; start < segments.length; start += 1) {
    const folder = segments[start - 1] ?? ''
    if (loadPaths.has(folder) || segments[start - 2] === 'app') yield segments.slice(start).join('/')
  }
}

function outerConstants(name: string): string[] {
  const parts = name.split('::')
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('::'))
}

function nearest(tree: SourceTree, path: string, files: readonly number[]): readonly number[] {
  if (files.length < 2) return files
  const directory = directoryOf(path)
  const ranked = files.map((file) => ({ file, shared: sharedSegments(directoryOf(tree.pathOf(file)), directory) }))
  const libraries = ranked.filter(({ file }) => !tree.isTest(file))
  const pool = libraries.length > 0 ? libraries : ranked
  const max = Math.max(...pool.map(({ shared }) => shared))
  return pool.filter(({ shared }) => shared === max).map(({ file }) => file)
}

function camelize(name: string): string {
  return name.replace(/(?:^|_)(\p{L})/gu, (_, letter: string) => letter.toUpperCase())
}
