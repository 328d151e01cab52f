import type { LinkCollector, Resolver, ResolverFamily } from './links.ts'
import { type Declared, type ModuleFacts, ModuleNames } from './module-names.ts'
import { ancestors, baseName, directoryOf, sharedSegments } from './paths.ts'
import { ResolvedOnce } from './resolved-once.ts'
import type { SourceTree } from './source-tree.ts'

export const python: ResolverFamily = {
  languages: ['Python'],
  create: (tree, files) => new PythonResolver(tree, files),
}

/** Packages and modules as Python's import system would find them, for whatever `sys.path` the project uses. */
class PythonResolver implements Resolver {
  readonly #tree: SourceTree
  readonly #modules: PythonModules
  readonly #names: ModuleNames

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    this.#modules = new PythonModules(tree, files)
    this.#names = new ModuleNames(this.#modules, files)
  }

  link(links: LinkCollector): void {
    const { from } = links
    const facts = this.#tree.facts(from)
    // The names that a package's `__init__` imports are there for the package's users.
    const passesOn = isPackageFile(baseName(this.#tree.pathOf(from)))
    for (const fact of facts?.imports ?? []) {
      const mode = { typeOnly: fact.typeOnly, passesOn }
      const target = this.#modules.resolve(from, fact.specifier)
      if (target !== undefined) links.add(target, [], mode)
      for (const [index, name] of fact.names.entries()) {
        if (name === '*') {
          if (target !== undefined) this.#useMentioned(links, target, mode)
          continue
        }
        const module = this.#modules.submodule(from, fact.specifier, name)
        if (module !== undefined) {
          links.add(module, [], mode)
          this.#useMentioned(links, module, mode)
        }
        if (target === undefined) continue
        const isUsed = this.#tree.references(from).has(fact.locals?.[index] ?? name)
        for (const declared of this.#names.find(target, name)) {
          links.add(declared.file, [declared.name], { ...mode, isUsed, within: fact.within })
        }
      }
    }
  }

  resolve(from: number, specifier: string): number | undefined {
    return this.#modules.resolve(from, specifier)
  }

  #useMentioned(
    links: LinkCollector,
    module: number,
    mode: { typeOnly: boolean | undefined; passesOn: boolean },
  ): void {
    for (const { file, name } of this.#names.findAll(module, this.#tree.references(links.from))) {
      links.add(file, [name], mode)
    }
  }
}

interface PythonExports {
  names: Map<string, { local: string; from: string | undefined }>
  stars: number[]
}

const sourceFolders = ['src', 'lib', 'python']

class PythonModules implements ModuleFacts {
  readonly #tree: SourceTree
  /** Directories that packages with an `__init__` lie in, by the packages' names. */
  readonly #packageRoots = new Map<string, Set<string>>()
  /** Names that a module or package of the repository has: all others are of the standard library or installed. */
  readonly #firstNames = new Set<string>()
  readonly #exports = new Map<number, PythonExports>()
  readonly #resolved = new ResolvedOnce((directory, specifier) => this.#search(directory, specifier))

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    const seen = new Set<string>()
    for (const file of files) {
      const path = tree.pathOf(file)
      const directory = directoryOf(path)
      this.#firstNames.add(baseName(path).replace(/\.pyi?$/, ''))
      for (const around of ancestors(directory)) {
        // Where one directory is known, those around it are.
        if (seen.has(around)) break
        seen.add(around)
        this.#firstNames.add(baseName(around))
      }
      if (!isPackageFile(baseName(path))) continue
      const root = directoryOf(directory)
      if (directory === '' || this.#isPackage(root)) continue
      const name = baseName(directory)
      const roots = this.#packageRoots.get(name)
      if (roots) roots.add(root)
      else this.#packageRoots.set(name, new Set([root]))
    }
  }

  resolve(from: number, specifier: string): number | undefined {
    return this.#resolved.find(directoryOf(this.#tree.pathOf(from)), specifier)
  }

  #search(directory: string, specifier: string): number | undefined {
    const dots = specifier.match(/^\.+/)?.[0].length ?? 0
    const segments = specifier.slice(dots).split('.').filter(Boolean)
    if (dots > 0) {
      let start = directory
      for (let up = 1; up < dots; up += 1) {
        if (start === '') return undefined
        start = directoryOf(start)
      }
      return this.#module(start, segments)
    }
    const [first] = segments
    if (first === undefined || !this.#firstNames.has(first)) return undefined
    const roots = [...(this.#packageRoots.get(first) ?? [])]
    roots.sort((a, b) => sharedSegments(b, directory) - sharedSegments(a, directory) || a.length - b.length)
    for (const root of [...roots, ...this.#pathsFrom(directory)]) {
      const file = this.#module(root, segments)
      if (file !== undefined) return file
    }
    return undefined
  }

  /** Modules outside of packages, and packages without `__init__`, are found from the directories around. */
  *#pathsFrom(directory: string): Iterable<string> {
    for (const around of ancestors(directory)) {
      if (around !== '' && this.#isPackage(around)) continue
      yield around
      for (const folder of sourceFolders) yield around === '' ? folder : `${around}/${folder}`
    }
  }

  /** `from package import module` means a file when the package has one of that name. */
  submodule(from: number, specifier: string, name: string): number | undefined {
    return this.resolve(from, specifier.endsWith('.') ? specifier + name : `${specifier}.${name}`)
  }

  provides(file: number): Iterable<string> {
    return this.#of(file).names.keys()
  }

  declared(file: number, name: string): string | undefined {
    const exported = this.#of(file).names.get(name)
    return exported && exported.from === undefined ? exported.local : undefined
  }

  handedOn(file: number, name: string): readonly Declared[] {
    const exported = this.#of(file).names.get(name)
    if (exported?.from === undefined) return []
    const target = this.resolve(file, exported.from)
    return target === undefined ? [] : [{ file: target, name: exported.local }]
  }

  stars(file: number): readonly number[] {
    return this.#of(file).stars
  }

  #of(file: number): PythonExports {
    let known = this.#exports.get(file)
    if (!known) {
      known = { names: new Map(), stars: [] }
      this.#exports.set(file, known)
      for (const { name, local, from } of this.#tree.facts(file)?.exports ?? []) {
        if (name !== '*') known.names.set(name, { local: local ?? name, from })
        else if (from !== undefined) {
          const target = this.resolve(file, from)
          if (target !== undefined) known.stars.push(target)
        }
      }
    }
    return known
  }

  #module(root: string, segments: readonly string[]): number | undefined {
    const place = [root, ...segments].filter(Boolean).join('/')
    const inside = place === '' ? '' : `${place}/`
    return (
      this.#tree.idOf(`${place}.py`) ??
      this.#tree.idOf(`${inside}__init__.py`) ??
      this.#tree.idOf(`${place}.pyi`) ??
      this.#tree.idOf(`${inside}__init__.pyi`)
    )
  }

  #isPackage(directory: string): boolean {
    const inside = directory === '' ? '' : `${directory}/`
    return this.#tree.idOf(`${inside}__init__.py`) !== undefined
  }
}

function isPackageFile(name: string): boolean {
  return name === '__init__.py' || name === '__init__.pyi'
}
