import type { LinkCollector, LinkMode, Resolver, ResolverFamily } from '../links.ts'
import { type Declared, type ModuleFacts, ModuleNames } from '../module-names.ts'
import { directoryOf, joinPath } from '../paths.ts'
import type { SourceTree } from '../source-tree.ts'
import type { Packages } from './packages.ts'
import type { Places } from './places.ts'
import { type Resolution, resolutionOf } from './resolution.ts'

export const javascript: ResolverFamily = {
  languages: ['JavaScript', 'TypeScript', 'TSX', 'Vue', 'Svelte'],
  create: (tree, files) => new JavaScriptResolver(tree, files),
}

/** Bounds for imports by computed paths. */
const maxFolders = 200
const maxFolderFiles = 300

/** ES modules and CommonJS, as bundlers and TypeScript find them. */
export class JavaScriptResolver implements Resolver {
  readonly #tree: SourceTree
  readonly #resolution: Resolution
  readonly #names: ModuleNames
  readonly #modules: EcmaScriptModules
  readonly #files: readonly number[]
  readonly #folders = new Map<string, readonly number[]>()

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    this.#files = files
    this.#resolution = resolutionOf(tree.paths)
    this.#modules = new EcmaScriptModules(tree, (file, specifier) => this.resolve(file, specifier))
    this.#names = new ModuleNames(this.#modules, files)
  }

  get packages(): Packages {
    return this.#resolution.packages
  }

  get places(): Places {
    return this.#resolution.places
  }

  link(links: LinkCollector): void {
    const { from } = links
    const taken = new Set<number>()
    for (const fact of this.#tree.facts(from)?.imports ?? []) {
      if (fact.specifier.endsWith('/*')) {
        for (const file of this.#folder(from, fact.specifier)) links.add(file, [])
        continue
      }
      const target = this.resolve(from, fact.specifier)
      if (target === undefined) continue
      const mode = { typeOnly: fact.typeOnly, passesOn: fact.reexport }
      links.add(target, [], mode)
      if (fact.reexport) continue
      for (const [index, name] of fact.names.entries()) {
        const isUsed = this.#tree.references(from).has(fact.locals?.[index] ?? name)
        const declared = this.#names.find(target, name === '*' ? 'default' : name)
        // Of a whole module it is not known which function uses what.
        const within = name === '*' ? undefined : fact.within
        for (const entry of declared) this.#use(links, entry, { ...mode, isUsed, within })
        // However often a module is imported as a whole, what is mentioned of it is the same.
        if (name !== '*' || taken.has(target)) continue
        taken.add(target)
        for (const entry of this.#mentioned(from, target)) this.#use(links, entry, mode)
      }
    }
  }

  /** Whether the configuration of TypeScript has a path of its own for a specifier. */
  isMapped(from: number, specifier: string): boolean {
    return this.#resolution.isMapped(directoryOf(this.#tree.pathOf(from)), specifier)
  }

  /** Where the name that a module provides is declared. `*` stands for a whole module. */
  declarationsOf(file: number, name: string): readonly Declared[] {
    return this.#names.find(file, name)
  }

  /** Where all names that a module provides are declared. `*` stands for a whole module. */
  *provided(file: number): Iterable<Declared> {
    for (const name of this.#modules.provides(file)) yield* this.#names.find(file, name)
    for (const star of this.#modules.stars(file)) yield { file: star, name: '*' }
  }

  #use(links: LinkCollector, declared: Declared, mode: LinkMode): void {
    if (declared.name !== '*') return links.add(declared.file, [declared.name], mode)
    const target = declared.file
    links.add(target, [], mode)
    for (const { file, name } of this.#names.find(target, 'default')) if (name !== '*') links.add(file, [name], mode)
    for (const { file, name } of this.#mentioned(links.from, target)) {
      if (name !== '*') links.add(file, [name], { ...mode, isUsed: true, within: undefined })
    }
  }

  /** What the importer of a whole module mentions of it. */
  #mentioned(from: number, target: number): Iterable<Declared> {
    return this.#names.findAll(target, this.#tree.references(from))
  }

  /** The files in and below a folder of which an import takes some. */
  #folder(from: number, specifier: string): readonly number[] {
    const folder = joinPath(directoryOf(this.#tree.pathOf(from)), specifier.slice(0, -2))
    if (!folder) return []
    let files = this.#folders.get(folder)
    if (!files && this.#folders.size < maxFolders) {
      files = this.#files.filter((file) => this.#tree.pathOf(file).startsWith(`${folder}/`)).slice(0, maxFolderFiles)
      this.#folders.set(folder, files)
    }
    return files ?? []
  }

  /** The file of the repository that a specifier in another one means. */
  resolve(from: number, specifier: string): number | undefined {
    return this.#resolution.resolve(directoryOf(this.#tree.pathOf(from)), specifier)
  }
}

interface Exported {
  local: string
  from: string | undefined
}

/** Exports of one module, read once. */
interface ModuleExports {
  names: Map<string, Exported>
  stars: readonly number[]
}

class EcmaScriptModules implements ModuleFacts {
  readonly #tree: SourceTree
  readonly #resolve: (file: number, specifier: string) => number | undefined
  readonly #exports = new Map<number, ModuleExports>()

  constructor(tree: SourceTree, resolve: (file: number, specifier: string) => number | undefined) {
    this.#tree = tree
    this.#resolve = resolve
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
    const target = this.#resolve(file, exported.from)
    return target === undefined ? [] : [{ file: target, name: exported.local }]
  }

  stars(file: number): readonly number[] {
    return this.#of(file).stars
  }

  #of(file: number): ModuleExports {
    let known = this.#exports.get(file)
    if (known) return known
    const names = new Map<string, Exported>()
    const stars: number[] = []
    for (const { name, local, from } of this.#tree.facts(file)?.exports ?? []) {
      if (name !== '*') names.set(name, { local: local ?? name, from })
      else if (from !== undefined) {
        const target = this.#resolve(file, from)
        if (target !== undefined) stars.push(target)
      }
    }
    known = { names, stars }
    this.#exports.set(file, known)
    return known
  }
}
