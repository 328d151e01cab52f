import type { ImportGraph } from '../graph/graph.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import type { SymbolFact } from '../../parsing/types.ts'
import type { FileReaches } from './file-reach.ts'
import { isImplicit, ownName } from './implicit.ts'

/** How tests get at one symbol of a file that they reach. */
export type SymbolReach =
  /** Tests that import its file, or are named after it, call it. */
  | { kind: 'called-by-test'; tests: readonly number[] }
  /** So many calls lie between the tests and it; the last one comes from the symbol `via`, where that is known. */
  | { kind: 'called-through'; steps: number; via: SymbolAt | undefined }
  /** It is written inside a function that tests get at in `steps` calls. */
  | { kind: 'inside'; steps: number; around: SymbolAt; callback: boolean }
  /** Tests use its type in `steps` calls, and the language or a library may run it without a call that names it. */
  | { kind: 'implicit'; steps: number; through: SymbolAt }
  /** Code that tests load calls something of that name, but not what they are seen to run. */
  | { kind: 'called-elsewhere' }
  | { kind: 'never-called' }

export interface SymbolAt {
  file: number
  symbol: SymbolFact
}

interface Entry extends SymbolAt {
  /** What callers say. */
  name: string
  /** Position among the symbols of its file. */
  index: number
  /** Calls between the tests and it; 0 is called by a test. */
  steps: number
  from: Entry | undefined
  relation: 'call' | 'callback' | 'member' | 'implicit'
  isImplicit: boolean
  tests: number[]
}

/** Symbols that callers call the same. */
interface Namesakes {
  entries: Entry[]
  /** Something that tests load calls one of them, whichever it is. */
  called: boolean
}

/** Tests kept for each symbol: enough to name the nearest. */
const maxTests = 50
/** Longest chain of calls that is followed: beyond it the expectation does not change any more. */
const maxSteps = 24

/** Follows calls by name from the tests into the sources, through whatever files see each other. */
export class CallReach {
  readonly #tree: SourceTree
  readonly #entries = new Map<number, Entry[]>()
  /** Symbols by what callers say. */
  readonly #byName = new Map<string, Namesakes>()
  /** The same within one file, made when it is first asked for. */
  readonly #byNameIn = new Map<number, Map<string, Namesakes>>()
  /** For each file those that it sees, itself included. */
  readonly #visible: readonly ReadonlySet<number>[]
  readonly #queue: Entry[][] = []
  /** What runs without calls, by file and by the type that it belongs to; the empty name is the module. */
  readonly #implicit = new Map<number, Map<string, Entry[]>>()

  constructor(tree: SourceTree, graph: ImportGraph, files: FileReaches) {
    this.#tree = tree
    const inTests = new Set([...files.tests, ...files.support])
    for (const [file, { record, language }] of tree.files.entries()) {
      if (inTests.has(file) || !record?.facts) continue
      const entries = record.facts.symbols.map((symbol, index): Entry => ({
        file,
        symbol,
        name: calledName(symbol),
        index,
        steps: Infinity,
        from: undefined,
        relation: 'call',
        isImplicit: isImplicit(symbol, language),
        tests: [],
      }))
      this.#entries.set(file, entries)
      for (const entry of entries) {
        addTo(this.#byName, entry)
        if (entry.isImplicit) this.#addImplicit(entry)
      }
    }
    this.#visible = graph.links.map((links, file) => {
      const seen = new Set([file])
      for (const { to, typeOnly } of links) if (!typeOnly) seen.add(to)
      return seen
    })
    this.#startFromTests(graph, files)
    this.#startFromModules(files)
    this.#follow()
  }

  /** For each of the file's symbols, in their order. */
  of(file: number): SymbolReach[] {
    return (this.#entries.get(file) ?? []).map((entry) => {
      if (entry.tests.length > 0) return { kind: 'called-by-test', tests: entry.tests }
      if (entry.steps === Infinity) {
        return { kind: this.#byName.get(entry.name)?.called ? 'called-elsewhere' : 'never-called' }
      }
      const { from, relation, steps } = entry
      if (relation === 'call' || !from) return { kind: 'called-through', steps, via: from }
      if (relation === 'implicit') return { kind: 'implicit', steps: from.steps, through: from }
      return { kind: 'inside', steps: from.steps, around: from, callback: relation === 'callback' }
    })
  }

  #startFromTests(graph: ImportGraph, files: FileReaches): void {
    const namedAfter = new Map<number, Set<number>>()
    for (const [source, tests] of files.named()) {
      for (const test of tests) {
        const sources = namedAfter.get(test)
        if (sources) sources.add(source)
        else namedAfter.set(test, new Set([source]))
      }
    }
    for (const test of files.tests) {
      const seen = new Set([...(this.#visible[test] ?? []), ...(namedAfter.get(test) ?? [])])
      for (const name of this.#tree.facts(test)?.references ?? []) {
        const namesakes = this.#byName.get(name)
        if (!namesakes) continue
        namesakes.called = true
        for (const entry of this.#meant(name, namesakes, seen)) this.#callByTest(entry, test)
      }
      // Functions are also handed over without a call: `it.each(cases)(name, parse)`.
      for (const { to, names, typeOnly } of graph.links[test] ?? []) {
        if (typeOnly) continue
        for (const name of names) {
          for (const entry of this.#inFile(to, name)) if (entry.symbol.name === name) this.#callByTest(entry, test)
        }
      }
    }
    for (const helper of files.support) this.#run(helper, this.#tree.facts(helper)?.references ?? [], 1)
    for (const [file, entries] of this.#entries) {
      if (!this.#tree.facts(file)?.inlineTests) continue
      const references = this.#tree.references(file)
      for (const entry of entries) if (references.has(entry.name)) this.#callByTest(entry, file)
    }
  }

  /** What a module does when it is loaded is done in every test that comes to it. */
  #startFromModules(files: FileReaches): void {
    for (const file of this.#entries.keys()) {
      const facts = this.#tree.facts(file)
      if (!facts || files.distance(file) === Infinity) continue
      const inSymbols = new Set<number>()
      for (const symbol of facts.symbols) for (const position of symbol.references ?? []) inSymbols.add(position)
      // What a decorator or the language runs, a test may run by loading the module.
      for (const entry of this.#implicit.get(file)?.get('') ?? []) this.#reach(entry, 2, undefined, 'call')
      // Parsers that do not say who calls leave the file as a whole, of which not all will run.
      if (inSymbols.size === 0) this.#run(file, facts.references, 2)
      else this.#run(file, facts.references, 1, inSymbols)
    }
  }

  /** Runs what a file refers to, but for what only its symbols do. */
  #run(file: number, names: readonly string[], steps: number, inSymbols?: ReadonlySet<number>): void {
    const seen = this.#visible[file]
    if (!seen) return
    for (const [position, name] of names.entries()) {
      const namesakes = this.#byName.get(name)
      if (!namesakes) continue
      namesakes.called = true
      if (inSymbols?.has(position)) continue
      for (const entry of this.#meant(name, namesakes, seen)) this.#reach(entry, steps, undefined, 'call')
    }
  }

  #follow(): void {
    for (let steps = 0; steps < Math.min(this.#queue.length, maxSteps); steps += 1) {
      for (const entry of this.#queue[steps] ?? []) {
        if (entry.steps !== steps) continue
        this.#call(entry)
        if (entry.symbol.kind === 'class') this.#enterType(entry, entry.symbol.name)
        else {
          this.#enter(entry)
          this.#enterType(entry, typeOf(entry.symbol))
        }
      }
    }
  }

  /** Functions inside a function run when it does, or are members of what it gives back. They are listed after it. */
  #enter(around: Entry): void {
    const prefix = `${around.symbol.name}.`
    const entries = this.#entries.get(around.file) ?? []
    for (let index = around.index + 1; ; index += 1) {
      const entry = entries[index]
      if (!entry?.symbol.name.startsWith(prefix)) return
      const callback = entry.symbol.kind === 'function'
      this.#reach(entry, around.steps + (callback ? 1 : 2), around, callback ? 'callback' : 'member')
    }
  }

  /** What runs without calls may run as soon as something else of its type does. */
  #enterType(entry: Entry, type: string): void {
    if (type === '') return
    for (const member of this.#implicit.get(entry.file)?.get(type) ?? []) {
      this.#reach(member, entry.steps + 1, entry, 'implicit')
    }
  }

  #addImplicit(entry: Entry): void {
    const types = this.#implicit.get(entry.file) ?? new Map<string, Entry[]>()
    this.#implicit.set(entry.file, types)
    const type = typeOf(entry.symbol)
    const members = types.get(type)
    if (members) members.push(entry)
    else types.set(type, [entry])
  }

  #call(caller: Entry): void {
    const seen = this.#visible[caller.file]
    const references = this.#tree.facts(caller.file)?.references ?? []
    for (const position of caller.symbol.references ?? []) {
      const name = references[position]
      const namesakes = name === undefined ? undefined : this.#byName.get(name)
      if (name === undefined || !namesakes || !seen) continue
      for (const entry of this.#meant(name, namesakes, seen)) this.#reach(entry, caller.steps + 1, caller, 'call')
    }
  }

  #callByTest(entry: Entry, test: number): void {
    if (entry.tests.length < maxTests && entry.tests.at(-1) !== test) entry.tests.push(test)
    this.#reach(entry, 0, undefined, 'call')
  }

  #reach(entry: Entry, steps: number, from: Entry | undefined, relation: Entry['relation']): void {
    if (entry === from || entry.steps <= steps) return
    entry.steps = steps
    entry.from = from
    entry.relation = relation
    const level = this.#queue[steps]
    if (level) level.push(entry)
    else this.#queue[steps] = [entry]
  }

  /** Those of the namesakes that lie in files the caller sees, searched from whichever side is shorter. */
  #meant(name: string, { entries }: Namesakes, seen: ReadonlySet<number>): readonly Entry[] {
    const [only] = entries
    if (entries.length === 1 && only) return seen.has(only.file) ? entries : noEntries
    if (entries.length <= seen.size) return entries.filter((entry) => seen.has(entry.file))
    const found: Entry[] = []
    for (const file of seen) for (const entry of this.#inFile(file, name)) found.push(entry)
    return found
  }

  #inFile(file: number, name: string): readonly Entry[] {
    let names = this.#byNameIn.get(file)
    if (!names) {
      names = new Map()
      for (const entry of this.#entries.get(file) ?? []) addTo(names, entry)
      this.#byNameIn.set(file, names)
    }
    return names.get(name)?.entries ?? noEntries
  }
}

const noEntries: readonly Entry[] = []

function addTo(names: Map<string, Namesakes>, entry: Entry): void {
  const namesakes = names.get(entry.name)
  if (namesakes) namesakes.entries.push(entry)
  else names.set(entry.name, { entries: [entry], called: false })
}

const constructors = new Set(['constructor', '__init__', '__new__', '__post_init__', '__construct', 'initialize'])

/** The type that a member belongs to; empty for what belongs to the module. */
function typeOf({ name }: SymbolFact): string {
  const own = ownName(name)
  return own === name ? '' : name.slice(0, name.length - own.length).replace(/(?:\.|::)$/, '')
}

/** What callers say: the last part of a qualified name, and the class's name for a constructor. */
function calledName({ name }: SymbolFact): string {
  const own = ownName(name)
  return constructors.has(own) ? (name.split(/\.|::/).at(-2) ?? own) : own
}
