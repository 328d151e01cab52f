import type { LinkCollector, Resolver, ResolverFamily } from './links.ts'
import { type Declared, type ModuleFacts, ModuleNames } from './module-names.ts'
import { baseName, directoryOf, sharedSegments, type SourceTree } from './source-tree.ts'

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
    const passesOn = baseName(this.#tree.pathOf(from)) === '__init__.py'
    for (const fact of facts?.imports ?? []) {
      const mode = { typeOnly: fact.typeOnly, passesOn }
      const target = this.#modules.resolve(from, fact.specifier)
      if (target !== undefined) links.add(target, [], mode)
      for (const name of fact.names) {
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
        for (const declared of this.#names.find(target, name)) links.add(declared.file, [declared.name], mode)
      }
    }
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

class PythonModules implements ModuleFacts {
  readonly #tree: SourceTree
  /** Directories that absolute imports may start from, by the first name of what they hold. */
  readonly #roots = new Map<string, Set<string>>()
  readonly #exports = new Map<
    number,
    { names: Map<string, { local: string; from: string | undefined }>; stars: number[] }
  >()

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    for (const file of files) {
      const path = tree.pathOf(file)
      let root = directoryOf(path)
      let name = baseName(path).replace(/\.pyi?$/, '')
      if (name === '__init__') {
        name = baseName(root)
        root = directoryOf(root)
      }
      while (root !== '' && this.#isPackage(root)) {
        name = baseName(root)
        root = directoryOf(root)
      }
      this.#addRoot(name, root)
      // Packages need no `__init__`: any directory may be one, seen from the root or from `src`.
      for (const start of ['', 'src']) {
        if (start !== '' && !path.startsWith(`${start}/`)) continue
        const [first] = path.slice(start === '' ? 0 : start.length + 1).split('/')
        if (first) this.#addRoot(first.replace(/\.pyi?$/, ''), start)
      }
    }
  }

  resolve(from: number, specifier: string): number | undefined {
    const dots = specifier.match(/^\.+/)?.[0].length ?? 0
    const segments = specifier.slice(dots).split('.').filter(Boolean)
    const directory = directoryOf(this.#tree.pathOf(from))
    if (dots > 0) {
      let start = directory
      for (let up = 1; up < dots; up += 1) {
        if (start === '') return undefined
        start = directoryOf(start)
      }
      return this.#module(start, segments)
    }
    const [first] = segments
    if (first === undefined) return undefined
    const roots = [...(this.#roots.get(first) ?? [])]
    roots.sort((a, b) => sharedSegments(b, directory) - sharedSegments(a, directory) || a.length - b.length)
    for (const root of roots) {
      const file = this.#module(root, segments)
      if (file !== undefined) return file
    }
    return undefined
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

  #of(file: number) {
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
    return this.#tree.idOf(`${directory}/__init__.py`) !== undefined
  }

  #addRoot(name: string, root: string): void {
    const roots = this.#roots.get(name)
    if (roots) roots.add(root)
    else this.#roots.set(name, new Set([root]))
  }
}
