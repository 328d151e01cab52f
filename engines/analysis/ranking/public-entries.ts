import type { ImportGraph } from '../graph/graph.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import { Evidence } from './evidence.ts'
import { constructors, type Entry, type SymbolIndex } from './symbol-index.ts'
import { ownName } from './implicit.ts'

/** A symbol with how far it is from the tests, and those that call it. */
interface Reachable extends Entry {
  steps: number
  tests: readonly number[]
}

/** Bounds for the search backwards from one symbol. */
const maxHops = 8
const maxVisited = 200
const maxCallers = 50

/** The symbols that use a name, which is at this position among the references of their file. */
interface Users<E> {
  position: number
  entries: E[]
}

interface Callers<E> {
  /** By its name, and the function around it. */
  named: E[]
  /** Those that call members by computed names, of which it may be one. */
  computed: E[]
}

interface Computed<E> {
  name: string
  members: ReadonlySet<E>
}

/** Finds for private symbols what a test can call to get at them. */
export class PublicEntries<E extends Reachable> {
  readonly #tree: SourceTree
  readonly #graph: ImportGraph
  readonly #symbols: SymbolIndex<E>
  readonly #evidence: Evidence
  readonly #callers = new Map<E, Callers<E>>()
  readonly #users = new Map<number, Map<string, Users<E>>>()
  readonly #computed = new Map<number, Computed<E>[]>()

  constructor(tree: SourceTree, graph: ImportGraph, symbols: SymbolIndex<E>) {
    this.#tree = tree
    this.#graph = graph
    this.#symbols = symbols
    this.#evidence = new Evidence(tree, graph, symbols)
  }

  /**
   * The public symbol with the fewest calls between it and the private one at `index`. Among several it prefers a method
   * of the same class, then what tests reach, then the same file. Calls by computed names count where no others lead to a
   * public symbol. Undefined for public symbols, for those that a test
   * calls, and where no public one is found.
   */
  of(file: number, index: number): E | undefined {
    const start = this.#symbols.of(file)[index]
    if (!start || isPublic(start) || start.tests.length > 0) return undefined
    return this.#nearest(start, ({ named }) => named) ?? this.#nearest(start, ({ named, computed }) => [...named, ...computed]) // prettier-ignore
  }

  #nearest(start: E, callersIn: (callers: Callers<E>) => readonly E[]): E | undefined {
    const visited = new Set([start])
    let layer: readonly E[] = [start]
    for (let hop = 0; hop < maxHops && layer.length > 0 && visited.size < maxVisited; hop += 1) {
      const next: E[] = []
      let best: E | undefined
      for (const entry of layer) {
        for (const caller of callersIn(this.#callersOf(entry))) {
          if (visited.has(caller)) continue
          visited.add(caller)
          if (!isPublic(caller)) next.push(caller)
          else if (!best || isBetter(caller, best, start)) best = caller
        }
      }
      if (best) return best
      layer = next
    }
    return undefined
  }

  /** The callers of a symbol: in its own file, in files that use it, and the function around it. */
  #callersOf(entry: E): Callers<E> {
    const known = this.#callers.get(entry)
    if (known) return known
    const callers: Callers<E> = { named: [], computed: [] }
    const around = this.#around(entry)
    if (around) callers.named.push(around)
    for (const file of [entry.file, ...(this.#graph.importers[entry.file] ?? [])]) {
      if (callers.named.length >= maxCallers) break
      this.#addCallersIn(file, entry, callers)
    }
    this.#callers.set(entry, callers)
    return callers
  }

  #addCallersIn(file: number, entry: E, callers: Callers<E>): void {
    const users = this.#usersIn(file)
    const { position, entries } = users.get(entry.name) ?? { position: -1, entries: [] }
    const found = new Set(entries.filter((user) => this.#canMean(user, position, entry)))
    found.delete(entry)
    for (const caller of found) callers.named.push(this.#outermost(caller))
    if (callers.computed.length >= maxCallers) return
    for (const { name, members } of this.#computedIn(file)) {
      if (!members.has(entry)) continue
      for (const user of users.get(name)?.entries ?? []) {
        if (user !== entry) callers.computed.push(this.#outermost(user))
      }
    }
  }

  #canMean(user: E, position: number, entry: E): boolean {
    const certainty = this.#evidence.ofCaller(user, position, entry)
    if (certainty !== 'perhaps') return certainty !== 'none'
    if (entry.type === '') return false
    return !this.#evidence.hasMember(user, entry.name) || this.#symbols.isBelow(entry, user.typeName)
  }

  /** The symbols of a file by the names that they use. */
  #usersIn(file: number): ReadonlyMap<string, Users<E>> {
    let known = this.#users.get(file)
    if (!known) {
      known = new Map()
      const references = this.#tree.facts(file)?.references ?? []
      for (const entry of this.#symbols.of(file)) {
        for (const position of entry.symbol.references ?? []) {
          const name = references[position]
          if (name === undefined) continue
          const users = known.get(name)
          if (users) users.entries.push(entry)
          else known.set(name, { position, entries: [entry] })
        }
      }
      this.#users.set(file, known)
    }
    return known
  }

  /** The references of a file that are computed names, with the members that each may mean. */
  #computedIn(file: number): readonly Computed<E>[] {
    let known = this.#computed.get(file)
    if (!known) {
      known = []
      for (const name of this.#tree.facts(file)?.references ?? []) {
        if (name.endsWith('*')) known.push({ name, members: new Set(this.#symbols.computed(name, file)) })
      }
      this.#computed.set(file, known)
    }
    return known
  }

  /** The function that a symbol is written in. */
  #around({ file, index, type, symbol }: E): E | undefined {
    if (type === '') return undefined
    const entries = this.#symbols.of(file)
    for (let before = index - 1; before >= 0; before -= 1) {
      const other = entries[before]
      if (!other || other.symbol.kind === 'class' || !symbol.name.startsWith(`${other.symbol.name}.`)) continue
      if (other.symbol.startLine <= symbol.startLine && symbol.endLine <= other.symbol.endLine) return other
    }
    return undefined
  }

  /** A function inside another one is called by what calls that one. */
  #outermost(entry: E): E {
    let outer = entry
    for (let around = this.#around(outer); around; around = this.#around(outer)) outer = around
    return outer
  }
}

/** By convention an underscore means private, also in languages that do not say so. */
function isPublic({ symbol }: Entry): boolean {
  return symbol.exported && !/^_(?!_\w+__$)/.test(ownName(symbol.name))
}

function isBetter(a: Reachable, b: Reachable, target: Entry): boolean {
  for (const rank of [
    (entry: Reachable) => (entry.file === target.file && entry.type === target.type && target.type !== '' ? 0 : 1),
    (entry: Reachable) => (constructors.has(ownName(entry.symbol.name)) || entry.symbol.kind === 'class' ? 1 : 0),
    (entry: Reachable) => entry.steps,
    (entry: Reachable) => (entry.file === target.file ? 0 : 1),
  ]) {
    const difference = rank(a) - rank(b)
    // Both may be out of reach: their difference is no number.
    if (difference < 0) return true
    if (difference > 0) return false
  }
  return false
}
