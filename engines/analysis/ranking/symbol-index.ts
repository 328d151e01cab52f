import type { SymbolFact } from '../../parsing/types.ts'
import type { ImportGraph } from '../graph/graph.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import { callsNothing, isImplicit, ownName } from './implicit.ts'

/** One symbol of the product. */
export interface Entry {
  file: number
  symbol: SymbolFact
  /** The name that callers use. */
  name: string
  /** The type that it is a member of, or the function around it; empty for what belongs to the module. */
  type: string
  /** The last part of the type's name. */
  typeName: string
  /** Position among the symbols of its file. */
  index: number
}

/** Symbols that callers call the same. */
export interface Namesakes<E extends Entry> {
  entries: E[]
  /** Something that tests load calls one of them, whichever it is. */
  called: boolean
}

/** A member that a call by name cannot be told from as many others may be meant: it says too little. */
const maxUncertain = 3
const maxUncertainInTests = 10
const maxOverrides = 50
const maxSubtypes = 200
const noEntries: readonly never[] = []

/** Finds symbols by what calls say of them, through whatever files see each other. */
export class SymbolIndex<E extends Entry> {
  readonly #tree: SourceTree
  readonly #entries = new Map<number, E[]>()
  readonly #byName = new Map<string, Namesakes<E>>()
  /** The same within one file, made when it is first asked for. */
  readonly #byNameIn = new Map<number, Map<string, Namesakes<E>>>()
  /** For each file those that it sees, itself included. */
  readonly #visible: readonly ReadonlySet<number>[]
  /** Symbols that run without calls, by file and by the type that it belongs to. */
  readonly #implicit = new Map<number, Map<string, E[]>>()
  /** Classes by the last part of the names of what they extend. */
  readonly #subtypes = new Map<string, E[]>()
  readonly #belowOf = new Map<string, ReadonlySet<E>>()

  constructor(tree: SourceTree, graph: ImportGraph, inTests: ReadonlySet<number>, create: (entry: Entry) => E) {
    this.#tree = tree
    for (const [file, { record }] of tree.files.entries()) {
      if (inTests.has(file) || !record?.facts) continue
      const entries = record.facts.symbols.map((symbol, index) => {
        const type = typeOf(symbol)
        const typeName = type === '' ? '' : ownName(type)
        return create({ file, symbol, name: calledName(symbol), type, typeName, index })
      })
      this.#entries.set(file, entries)
      for (const entry of entries) {
        addTo(this.#byName, entry)
        for (const base of entry.symbol.bases ?? []) push(this.#subtypes, base, entry)
      }
    }
    this.#findImplicit()
    this.#visible = graph.links.map((links, file) => {
      const seen = new Set([file])
      for (const { to, typeOnly } of links) if (!typeOnly) seen.add(to)
      return seen
    })
  }

  /** Files of the product that have symbols, or could have. */
  files(): Iterable<[number, readonly E[]]> {
    return this.#entries
  }

  of(file: number): readonly E[] {
    return this.#entries.get(file) ?? noEntries
  }

  /** The files that a file sees, itself included. */
  visible(file: number): ReadonlySet<number> {
    return this.#visible[file] ?? new Set()
  }

  namesakes(name: string): Namesakes<E> | undefined {
    return this.#byName.get(name)
  }

  /** Members that run without calls as soon as something else of the type does. */
  implicit(file: number, type: string): readonly E[] {
    return this.#implicit.get(file)?.get(type) ?? noEntries
  }

  /** Those of the namesakes that lie in files the caller sees, searched from whichever side is shorter. */
  meant(name: string, { entries }: Namesakes<E>, seen: ReadonlySet<number>): readonly E[] {
    const [only] = entries
    if (entries.length === 1 && only) return seen.has(only.file) ? entries : noEntries
    if (entries.length <= seen.size) return entries.filter((entry) => seen.has(entry.file))
    const found: E[] = []
    for (const file of seen) for (const entry of this.inFile(file, name)) found.push(entry)
    return found
  }

  /**
   * Members that a call in `file` may mean although the file does not see theirs: those that override what it declares,
   * and inherited ones where few are called so.
   */
  perhaps({ entries }: Namesakes<E>, file: number, seen: ReadonlySet<number>): readonly E[] {
    if (entries.length > maxOverrides) return noEntries
    let others: E[] | undefined
    // Most calls mean what the file sees: no list is made for them.
    for (const entry of entries) if (entry.type !== '' && !seen.has(entry.file)) (others ??= []).push(entry)
    if (!others) return noEntries
    const isOnly = others.length === entries.length
    if (this.#tree.isTest(file) ? others.length <= maxUncertainInTests : isOnly && others.length <= maxUncertain) {
      return others
    }
    return others.filter((entry) => this.#visible[entry.file]?.has(file) === true)
  }

  /** The members that `Type.prefix*` may call: the type's own, and those of its subtypes. */
  computed(pattern: string, file: number): readonly E[] {
    const dot = pattern.lastIndexOf('.')
    const type = pattern.slice(0, dot)
    const prefix = pattern.slice(dot + 1, -1)
    const isMeant = (entry: E) => ownName(entry.symbol.name).startsWith(prefix)
    const found = this.of(file).filter((entry) => entry.type === type && isMeant(entry))
    for (const { file: below, symbol } of this.#below(ownName(type))) {
      found.push(...this.of(below).filter((entry) => entry.type === symbol.name && isMeant(entry)))
    }
    return found
  }

  /**
   * Whether a call in `file` that names a member may as well mean one of another type, as all that is known is the name:
   * the file does not mention the member's type, and others have a member that is called so.
   */
  isAmbiguous({ name, type, typeName }: E, file: number): boolean {
    if (type === '') return false
    const entries = this.#byName.get(name)?.entries ?? noEntries
    if (entries.length < 2 || this.#tree.references(file).has(typeName)) return false
    return entries.some((other) => other.type !== type)
  }

  inFile(file: number, name: string): readonly E[] {
    let names = this.#byNameIn.get(file)
    if (!names) {
      names = new Map()
      for (const entry of this.#entries.get(file) ?? []) addTo(names, entry)
      this.#byNameIn.set(file, names)
    }
    return names.get(name)?.entries ?? noEntries
  }

  /** Whether the class of a member extends the one of this name. */
  isBelow({ file, type }: Entry, name: string): boolean {
    for (const below of this.#below(name)) if (below.file === file && below.symbol.name === type) return true
    return false
  }

  /** Classes that extend the one of this name, over any number of steps. */
  #below(name: string): ReadonlySet<E> {
    const known = this.#belowOf.get(name)
    if (known) return known
    const found = new Set<E>()
    const names = [name]
    for (const base of names) {
      for (const entry of this.#subtypes.get(base) ?? []) {
        if (found.size >= maxSubtypes || found.has(entry)) continue
        found.add(entry)
        names.push(ownName(entry.symbol.name))
      }
    }
    this.#belowOf.set(name, found)
    return found
  }

  #findImplicit(): void {
    const libraries = this.#libraryTypes()
    for (const [file, entries] of this.#entries) {
      const language = this.#tree.files[file]?.language ?? ''
      const extending = new Set<string>()
      for (const { symbol } of entries) {
        // A class may be called like the one of the library that it extends.
        const isLibrary = (base: string) => libraries.has(base) || base === ownName(symbol.name)
        if (symbol.bases?.some(isLibrary)) extending.add(symbol.name)
      }
      for (const entry of entries) {
        const { symbol, type } = entry
        // A library may call whatever it finds in a class that extends its own.
        const overrides = extending.has(type) && !ownName(symbol.name).startsWith('#')
        if (!overrides && !isImplicit(symbol, language)) continue
        const types = this.#implicit.get(file) ?? new Map<string, E[]>()
        this.#implicit.set(file, types)
        push(types, type, entry)
      }
    }
  }

  /** Names of the types that classes extend and that the repository does not declare. */
  #libraryTypes(): ReadonlySet<string> {
    const types = new Set<string>()
    for (const base of this.#subtypes.keys()) if (!callsNothing(base)) types.add(base)
    if (types.size === 0) return types
    for (const [file, entries] of this.#entries) {
      let last = ''
      for (const { symbol, type, typeName } of entries) {
        if (symbol.kind === 'class') types.delete(ownName(symbol.name))
        else if (type !== last) types.delete(typeName)
        last = type
      }
      for (const { name, from } of this.#tree.facts(file)?.exports ?? []) if (from === undefined) types.delete(name)
    }
    return types
  }
}

function addTo<E extends Entry>(names: Map<string, Namesakes<E>>, entry: E): void {
  const namesakes = names.get(entry.name)
  if (namesakes) namesakes.entries.push(entry)
  else names.set(entry.name, { entries: [entry], called: false })
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

export const constructors = new Set([
  'constructor',
  '__init__',
  '__new__',
  '__post_init__',
  '__construct',
  'initialize',
])

/** The type that a member belongs to; empty for what belongs to the module. */
function typeOf({ name }: SymbolFact): string {
  const own = ownName(name)
  if (own === name) return ''
  const end = name.length - own.length
  return name.slice(0, end - (name.endsWith('::', end) ? 2 : 1))
}

/** The name that callers use: the last part of a qualified name, and the class's name for a constructor. */
function calledName({ name }: SymbolFact): string {
  const own = ownName(name)
  return constructors.has(own) ? (name.split(/\.|::/).at(-2) ?? own) : own
}
