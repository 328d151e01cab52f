import type { ImportGraph } from '../graph/graph.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import { language, ownObject, unknown } from '../../parsing/receivers.ts'
import { constructors, type Entry, type SymbolIndex } from './symbol-index.ts'
import { ownName } from './implicit.ts'

/** Origins of receivers that are no modules. */
const values: ReadonlySet<string> = new Set([language, ownObject, unknown])

/**
 * Whether a reference of a file means a symbol of the same name. `likely`: the file uses the type of the symbol, and calls
 * a member of that name on a value of unknown origin. `none`: the file means something else.
 */
export type Certainty = 'certain' | 'likely' | 'perhaps' | 'none'

/** Tells whether the references of files mean the symbols whose names they have. */
export class Evidence {
  readonly #tree: SourceTree
  readonly #graph: ImportGraph
  readonly #symbols: SymbolIndex<Entry>
  readonly #used = new Map<number, ReadonlyMap<number, ReadonlySet<string>>>()
  readonly #local = new Map<number, Map<string, LocalImports>>()

  constructor(tree: SourceTree, graph: ImportGraph, symbols: SymbolIndex<Entry>) {
    this.#tree = tree
    this.#graph = graph
    this.#symbols = symbols
  }

  /** `position` is the one of the name among the references of the file. */
  of(file: number, position: number, entry: Entry): Certainty {
    const isAmbiguous = this.#symbols.isAmbiguous(entry, file)
    const resolver = this.#graph.resolvers.get(file)
    // Elsewhere files see each other without imports that name anything.
    if (!resolver) return !isAmbiguous ? 'certain' : this.#constructs(file, entry) ? 'likely' : 'perhaps'
    const receivers = this.#tree.facts(file)?.receivers
    const origins = receivers ? (receivers[position] ?? [unknown]) : [unknown]
    if (origins.length > 0 && origins.every((origin) => origin === language)) return 'none'
    if (entry.file === file) return isAmbiguous ? 'perhaps' : 'certain'
    const imported = nameToImport(entry)
    if (imported !== undefined) return this.#uses(file, entry.file, imported) ? 'certain' : 'perhaps'
    if (isAmbiguous || origins.length === 0) return 'perhaps'
    const isOwn = (origin: string) => !values.has(origin) && resolver.resolve?.(file, origin) !== undefined
    if (origins.some(isOwn)) return 'certain'
    const isKnown = !origins.includes(unknown)
    return !isKnown && this.#tree.references(file).has(entry.typeName) ? 'likely' : 'perhaps'
  }

  /** The same for a reference of one symbol: members of one name in several classes are told apart. */
  ofCaller(caller: Entry, position: number, entry: Entry): Certainty {
    const isInside = caller.file === entry.file && `${caller.type}.`.startsWith(`${entry.type}.`)
    if (entry.type !== '' && isInside) return 'certain'
    if (entry.name.startsWith('#') || !this.#isImportedFor(caller, entry)) return 'none'
    const certainty = this.of(caller.file, position, entry)
    // A class that has such a member itself calls its own, or the one that overrides it.
    if (caller.type === '' || !this.hasMember(caller, entry.name)) return certainty
    const { receivers } = this.#tree.facts(caller.file) ?? {}
    const origins = receivers && (receivers[position] ?? [unknown])
    const isOnOthers = origins?.some((origin) => origin !== ownObject) === true
    const isMeant =
      entry.type === '' ? origins?.length === 0 : isOnOthers || this.#symbols.isBelow(entry, caller.typeName)
    if (isMeant) return certainty
    return origins ? 'none' : 'perhaps'
  }

  /** Whether the class of a symbol has a member of this name itself. */
  hasMember({ file, type }: Entry, name: string): boolean {
    return this.#symbols.inFile(file, name).some((member) => member.type === type)
  }

  /** Whether a name that functions import for themselves means the symbol in the code of one of them. */
  #isImportedFor(caller: Entry, entry: Entry): boolean {
    const imports = this.#localImports(caller.file).get(nameToImport(entry) ?? '')
    if (!imports) return true
    for (const name of ancestorsOf(caller.symbol.name)) {
      const meant = imports.byFunction.get(name)
      // What a function imports hides what the file imports or declares.
      if (meant) return meant.has(entry.file)
    }
    return !imports.files.has(entry.file)
  }

  #localImports(file: number): ReadonlyMap<string, LocalImports> {
    let known = this.#local.get(file)
    if (!known) {
      known = new Map()
      this.#local.set(file, known)
      for (const { to, within = [] } of this.#graph.links[file] ?? []) {
        for (const [name, functions] of within) {
          const imports = known.get(name) ?? { files: new Set(), byFunction: new Map<string, Set<number>>() }
          known.set(name, imports)
          imports.files.add(to)
          for (const one of functions) {
            const meant = imports.byFunction.get(one)
            if (meant) meant.add(to)
            else imports.byFunction.set(one, new Set([to]))
          }
        }
      }
    }
    return known
  }

  /** Go's functions that make a value of a type are named after it. */
  #constructs(file: number, { typeName }: Entry): boolean {
    const isGo = this.#tree.files[file]?.language === 'Go'
    return isGo && typeName !== '' && this.#tree.references(file).has(`New${typeName}`)
  }

  /** Whether a file refers to a name that it imports from another one, directly or through others. */
  #uses(from: number, to: number, name: string): boolean {
    let targets = this.#used.get(from)
    if (!targets) {
      targets = new Map((this.#graph.links[from] ?? []).map((link) => [link.to, link.used]))
      this.#used.set(from, targets)
    }
    return targets.get(to)?.has(name) === true
  }
}

/** The files of which functions import a name for themselves. */
interface LocalImports {
  files: Set<number>
  byFunction: Map<string, Set<number>>
}

/** `a.b.c`, `a.b` and `a`. */
function* ancestorsOf(name: string): Iterable<string> {
  yield name
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) yield name.slice(0, dot)
}

/** The name that a file must import to call the symbol without a receiver; undefined for members. */
function nameToImport({ type, symbol }: Entry): string | undefined {
  if (type === '') return symbol.name
  return constructors.has(ownName(symbol.name)) && !type.includes('.') ? type : undefined
}
