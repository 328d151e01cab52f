import { fields, property, readToml, text } from './configuration.ts'
import type { LinkCollector, Resolver, ResolverFamily } from './links.ts'
import { type Declared, type ModuleFacts, ModuleNames } from './module-names.ts'
import { declaredNames } from './named-types.ts'
import { ancestors, baseName, directoryOf, joinPath } from './paths.ts'
import type { SourceTree } from './source-tree.ts'

export const rust: ResolverFamily = {
  languages: ['Rust'],
  create: (tree, files) => new RustResolver(tree, files),
}

/** Paths through the module tree, which follows the directories, into this crate or another one of the workspace. */
class RustResolver implements Resolver {
  readonly #tree: SourceTree
  readonly #modules: RustModules
  readonly #names: ModuleNames

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    this.#modules = new RustModules(tree)
    this.#names = new ModuleNames(this.#modules, files)
  }

  link(links: LinkCollector): void {
    const { from } = links
    const references = this.#tree.references(from)
    for (const { specifier, names, reexport } of this.#tree.facts(from)?.imports ?? []) {
      const { module, rest } = this.#modules.locate(from, specifier)
      if (module === undefined) continue
      // `mod name;` brings a file in; what happens to it shows where its name is said.
      const isDeclaration = names.length === 0
      const mode = { passesOn: isDeclaration || reexport === true }
      links.add(module, [], mode)
      if (reexport) continue
      const said = specifier.slice(specifier.lastIndexOf(':') + 1)
      const [first] = rest
      if (first !== undefined) {
        for (const { file, name } of this.#names.find(module, first)) links.add(file, [name, ...rest.slice(1)])
      } else if (names.includes('*') || references.has(said)) {
        for (const { file, name } of this.#names.findAll(module, references)) links.add(file, [name])
      }
    }
  }
}

class RustModules implements ModuleFacts {
  readonly #tree: SourceTree
  /** Root file of each library crate, by the name that code uses for it. */
  readonly #crates = new Map<string, number>()
  readonly #declared = new Map<number, Set<string>>()

  constructor(tree: SourceTree) {
    this.#tree = tree
    for (const [path, content] of tree.manifests) {
      if (baseName(path) !== 'Cargo.toml') continue
      const manifest = readToml(content)
      const library = fields(property(manifest, 'lib'))
      const name = text(property(library, 'name')) ?? text(property(fields(property(manifest, 'package')), 'name'))
      const root = tree.idOf(joinPath(directoryOf(path), text(property(library, 'path')) ?? 'src/lib.rs') ?? '')
      if (name && root !== undefined) this.#crates.set(name.replaceAll('-', '_'), root)
    }
  }

  /** The innermost file that a path leads into, and what of the path is left then. */
  locate(from: number, specifier: string): { module: number | undefined; rest: string[] } {
    const [first = '', ...rest] = specifier.split('::')
    let module: number | undefined
    if (first === 'crate' || first === '$crate') module = this.#rootOf(from)
    else if (first === 'self') module = from
    else if (first === 'super') module = this.#parentOf(from)
    // A file's own module hides a crate of the same name.
    else module = this.#child(from, first) ?? this.#crates.get(first)
    while (module !== undefined && rest[0] === 'super') {
      module = this.#parentOf(module)
      rest.shift()
    }
    while (module !== undefined && rest[0] !== undefined) {
      const child = this.#child(module, rest[0])
      if (child === undefined) break
      module = child
      rest.shift()
    }
    return { module, rest }
  }

  provides(file: number): Iterable<string> {
    const names = new Set(this.#own(file))
    for (const { name, from } of this.#tree.facts(file)?.exports ?? []) {
      if (from !== undefined && name !== '*') names.add(name)
    }
    return names
  }

  declared(file: number, name: string): string | undefined {
    return this.#own(file).has(name) ? name : undefined
  }

  handedOn(file: number, name: string): readonly Declared[] {
    for (const fact of this.#tree.facts(file)?.exports ?? []) {
      if (fact.name !== name || fact.from === undefined) continue
      const { module, rest } = this.locate(file, fact.from)
      return module === undefined ? [] : [{ file: module, name: rest[0] ?? '*' }]
    }
    return []
  }

  stars(file: number): readonly number[] {
    const stars: number[] = []
    for (const { name, from } of this.#tree.facts(file)?.exports ?? []) {
      if (name !== '*' || from === undefined) continue
      const { module } = this.locate(file, from)
      if (module !== undefined) stars.push(module)
    }
    return stars
  }

  #own(file: number): Set<string> {
    let names = this.#declared.get(file)
    if (!names) {
      names = declaredNames(this.#tree, file)
      // Types are known here by their methods only.
      for (const { name } of this.#tree.facts(file)?.symbols ?? []) {
        const dot = name.indexOf('.')
        if (dot !== -1) names.add(name.slice(0, dot))
      }
      this.#declared.set(file, names)
    }
    return names
  }

  /** Where a file's child modules lie: beside crate roots and `mod.rs`, else in a directory of the file's name. */
  #below(file: number): string {
    const path = this.#tree.pathOf(file)
    return this.#isRoot(path) || baseName(path) === 'mod.rs' ? directoryOf(path) : path.replace(/\.rs$/, '')
  }

  #child(file: number, name: string): number | undefined {
    const place = joinPath(this.#below(file), `./${name}`)
    if (place === undefined || name === '') return undefined
    const child = this.#tree.idOf(`${place}.rs`) ?? this.#tree.idOf(`${place}/mod.rs`)
    return child === file ? undefined : child
  }

  #parentOf(file: number): number | undefined {
    const path = this.#tree.pathOf(file)
    if (this.#isRoot(path)) return undefined
    const directory = baseName(path) === 'mod.rs' ? directoryOf(directoryOf(path)) : directoryOf(path)
    return this.#rootIn(directory) ?? this.#tree.idOf(`${directory}/mod.rs`) ?? this.#tree.idOf(`${directory}.rs`)
  }

  #rootOf(file: number): number | undefined {
    const path = this.#tree.pathOf(file)
    if (this.#isRoot(path)) return file
    for (const directory of ancestors(directoryOf(path))) {
      const root = this.#rootIn(directory)
      if (root !== undefined) return root
    }
    return undefined
  }

  #rootIn(directory: string): number | undefined {
    const inside = directory === '' ? '' : `${directory}/`
    return this.#tree.idOf(`${inside}lib.rs`) ?? this.#tree.idOf(`${inside}main.rs`)
  }

  #isRoot(path: string): boolean {
    const name = baseName(path)
    if (name === 'lib.rs' || name === 'main.rs' || name === 'build.rs') return true
    return /(?:^|\/)(?:tests|benches|examples|bin)\/[^/]+\.rs$/.test(path)
  }
}
