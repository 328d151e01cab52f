import type { ImportGraph } from '../graph/graph.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import { language, unknown } from '../../parsing/receivers.ts'
import { constructors, type Entry, type SymbolIndex } from './symbol-index.ts'
import { ownName } from './implicit.ts'

/**
 * What a name that a file refers to says of a symbol that is called so: `certain` that it is meant, `likely` where the
 * file uses its type and calls such a member of a value of unknown origin, `perhaps`, or `none` where the file means
 * something else.
 */
export type Certainty = 'certain' | 'likely' | 'perhaps' | 'none'

/** Tells whether the references of files mean the symbols whose names they have. */
export class Evidence {
  readonly #tree: SourceTree
  readonly #graph: ImportGraph
  readonly #symbols: SymbolIndex<Entry>
  readonly #used = new Map<number, ReadonlyMap<number, ReadonlySet<string>>>()

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
    if (!resolver) return isAmbiguous ? 'perhaps' : 'certain'
    const receivers = this.#tree.facts(file)?.receivers
    const origins = receivers ? (receivers[position] ?? [unknown]) : [unknown]
    if (origins.length > 0 && origins.every((origin) => origin === language)) return 'none'
    if (entry.file === file) return isAmbiguous ? 'perhaps' : 'certain'
    const imported = nameToImport(entry)
    if (imported !== undefined) return this.#uses(file, entry.file, imported) ? 'certain' : 'perhaps'
    if (isAmbiguous || origins.length === 0) return 'perhaps'
    const isOwn = (origin: string) =>
      origin !== language && origin !== unknown && resolver.resolve?.(file, origin) !== undefined
    if (origins.some(isOwn)) return 'certain'
    const isKnown = !origins.includes(unknown)
    return !isKnown && this.#tree.references(file).has(entry.typeName) ? 'likely' : 'perhaps'
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

/** What an importer asks for to call the symbol without a receiver; undefined for members. */
function nameToImport({ type, symbol }: Entry): string | undefined {
  if (type === '') return symbol.name
  return constructors.has(ownName(symbol.name)) && !type.includes('.') ? type : undefined
}
