import type { LinkCollector, LinkMode, Resolver, ResolverFamily } from '../links.ts'
import { type Declared, type ModuleFacts, ModuleNames } from '../module-names.ts'
import { directoryOf, joinPath, type SourceTree } from '../source-tree.ts'
import { importTargets, Packages } from './packages.ts'
import { Places } from './places.ts'
import { TsconfigPaths } from './tsconfig.ts'

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
  readonly packages: Packages
  readonly places: Places
  readonly #paths: TsconfigPaths
  readonly #resolved = new Map<string, Map<string, number | undefined>>()
  readonly #names: ModuleNames
  readonly #modules: EcmaScriptModules
  readonly #files: readonly number[]
  readonly #folders = new Map<string, readonly number[]>()

  constructor(tree: SourceTree, files: readonly number[]) {
    this.#tree = tree
    this.#files = files
    this.packages = new Packages(tree)
    this.places = new Places(tree, this.packages)
    this.#paths = new TsconfigPaths(tree, (specifier) => {
      const found = this.packages.find(specifier)
      return found && joinPath(found.package.directory, found.subpath)
    })
    this.#modules = new EcmaScriptModules(tree, (file, specifier) => this.resolve(file, specifier))
    this.#names = new ModuleNames(this.#modules, files)
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
    return this.#paths.maps(specifier, directoryOf(this.#tree.pathOf(from)))
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
    const directory = directoryOf(this.#tree.pathOf(from))
    let known = this.#resolved.get(directory)
    if (!known) {
      known = new Map()
      this.#resolved.set(directory, known)
    }
    if (!known.has(specifier)) known.set(specifier, this.#search(directory, specifier))
    return known.get(specifier)
  }

  #search(directory: string, written: string): number | undefined {
    // Bundlers take instructions behind the path: `./worker?url`.
    const specifier = written.replace(/(?!^)[?#].*$/s, '')
    if (/^\.\.?(?:\/|$)/.test(specifier)) return this.places.file(joinPath(directory, specifier))
    if (specifier === '' || specifier.startsWith('/') || /^[a-z]+:/i.test(specifier)) return undefined
    if (specifier.startsWith('#')) {
      const around = this.packages.around(directory)
      for (const target of around ? importTargets(around, specifier) : []) {
        const place = target.startsWith('.') && around ? joinPath(around.directory, target) : undefined
        const file = place === undefined ? undefined : this.places.file(place)
        if (file !== undefined) return file
      }
    }
    for (const place of this.#paths.candidates(specifier, directory)) {
      const file = this.places.file(joinPath('', place))
      if (file !== undefined) return file
    }
    const found = this.packages.find(specifier)
    if (found) return this.places.inPackage(found.package, found.subpath)
    return this.#conventional(directory, specifier)
  }

  /** `@/part` and `~/part` mean the package's sources in every bundler set-up, which only its own code configures. */
  #conventional(directory: string, specifier: string): number | undefined {
    if (!/^[@~]\//.test(specifier)) return undefined
    const root = this.packages.around(directory)?.directory ?? ''
    for (const folder of ['src', 'app', '.']) {
      const inside = joinPath(root, folder)
      const file = inside === undefined ? undefined : this.places.file(joinPath(inside, specifier.slice(2)))
      if (file !== undefined) return file
    }
    return undefined
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
