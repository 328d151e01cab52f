import type { ImportGraph } from '../graph/graph.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import type { SymbolFact } from '../../parsing/types.ts'
import { Evidence } from './evidence.ts'
import type { FileReaches } from './file-reach.ts'
import { type Entry, SymbolIndex } from './symbol-index.ts'

/** How tests get at one symbol of a file that they reach. `uses` counts the places that it is used from. */
export type SymbolReach =
  /** Tests that import its file, or are named after it, call it. */
  | { kind: 'called-by-test'; tests: readonly number[]; uses: number }
  /** Tests use its type and call something of its name, of a value whose type is not known. */
  | { kind: 'likely-called'; tests: readonly number[]; uses: number; type: string }
  /** So many calls lie between the tests and it; the last one comes from the symbol `via`, where that is known. */
  | { kind: 'called-through'; uses: number; via: SymbolAt | undefined }
  /** Tests reach calls of that name, which may mean it or something else. */
  | { kind: 'perhaps-called'; uses: number }
  /** It is written inside a function that tests get at. */
  | { kind: 'inside'; uses: number; around: SymbolAt; callback: boolean }
  /** Tests use its type, and the language or a library may run it without a call that names it. */
  | { kind: 'implicit'; uses: number; through: SymbolAt & { tests: readonly number[] } }
  /** Code that tests reach calls members by computed names, of which it may be one. */
  | { kind: 'computed'; uses: number; through: SymbolAt }
  /** Code that tests load calls something of that name, but not what they are seen to run. */
  | { kind: 'called-elsewhere' }
  | { kind: 'never-called' }

export interface SymbolAt {
  file: number
  symbol: SymbolFact
}

/** A symbol with the shortest way from the tests to it. */
export interface Reached extends Entry {
  /** Calls between the tests and it; 0 is called by a test. */
  steps: number
  from: Reached | undefined
  relation: 'call' | 'perhaps' | 'callback' | 'member' | 'implicit' | 'computed'
  tests: number[]
  /** Tests that use its type and call something of its name. */
  likelyTests: number[]
  /** Tests call something of its name. */
  isNamed: boolean
  /** From how many places it is used, as far as tests reach them. */
  uses: number
}

/** Tests kept for each symbol: enough to name the nearest. */
const maxTests = 50
/** Longest chain of calls that is followed: beyond it the expectation does not change any more. */
const maxSteps = 24
/** Calls that a call counts which may mean something else. */
const stepsOfPerhaps = 2
const usesOfPerhaps = 0.3

/** Follows calls by name from the tests into the sources. */
export class CallReach {
  readonly symbols: SymbolIndex<Reached>
  readonly #tree: SourceTree
  readonly #evidence: Evidence
  readonly #queue: Reached[][] = []

  constructor(tree: SourceTree, graph: ImportGraph, files: FileReaches) {
    this.#tree = tree
    this.symbols = new SymbolIndex(tree, graph, new Set([...files.tests, ...files.support]), (entry) => ({
      ...entry,
      steps: Infinity,
      from: undefined,
      relation: 'call',
      tests: [],
      likelyTests: [],
      isNamed: false,
      uses: 0,
    }))
    this.#evidence = new Evidence(tree, graph, this.symbols)
    this.#startFromTests(graph, files)
    this.#startFromModules(files)
    this.#follow()
  }

  /** For each of the file's symbols, in their order. */
  of(file: number): SymbolReach[] {
    return this.symbols.of(file).map((entry) => {
      const { from, relation, steps, tests, likelyTests, uses, isNamed } = entry
      if (tests.length > 0) return { kind: 'called-by-test', tests, uses }
      if (likelyTests.length > 0) return { kind: 'likely-called', tests: likelyTests, uses, type: entry.typeName }
      if (steps === Infinity) {
        return { kind: this.symbols.namesakes(entry.name)?.called ? 'called-elsewhere' : 'never-called' }
      }
      if (relation === 'perhaps' || (isNamed && !from)) return { kind: 'perhaps-called', uses }
      if (relation === 'call' || !from) return { kind: 'called-through', uses, via: from }
      if (relation === 'implicit') return { kind: relation, uses, through: from }
      if (relation === 'computed') return { kind: relation, uses, through: from }
      return { kind: 'inside', uses, around: from, callback: relation === 'callback' }
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
      const seen = new Set([...this.symbols.visible(test), ...(namedAfter.get(test) ?? [])])
      for (const [position, name] of (this.#tree.facts(test)?.references ?? []).entries()) {
        const namesakes = this.symbols.namesakes(name)
        if (!namesakes) continue
        namesakes.called = true
        for (const entry of this.symbols.meant(name, namesakes, seen)) {
          const certainty = this.#evidence.of(test, position, entry)
          if (certainty === 'perhaps') this.#nameByTest(entry)
          else if (certainty !== 'none') this.#callByTest(entry, test, certainty)
        }
        for (const entry of this.symbols.perhaps(namesakes, test, seen)) {
          if (this.#evidence.of(test, position, entry) !== 'none') this.#nameByTest(entry)
        }
      }
      // Imports may rename what they import.
      for (const { to, used, typeOnly } of graph.links[test] ?? []) {
        if (typeOnly) continue
        for (const name of used) {
          for (const entry of this.symbols.inFile(to, name)) {
            if (entry.symbol.name === name) this.#callByTest(entry, test)
          }
        }
      }
    }
    for (const helper of files.support) this.#run(helper, this.#tree.facts(helper)?.references ?? [], 1)
    for (const [file, entries] of this.symbols.files()) {
      if (!this.#tree.facts(file)?.inlineTests) continue
      const references = this.#tree.references(file)
      for (const entry of entries) if (references.has(entry.name)) this.#callByTest(entry, file)
    }
  }

  /** Every test that loads a module runs the code at its top level. */
  #startFromModules(files: FileReaches): void {
    for (const [file] of this.symbols.files()) {
      const facts = this.#tree.facts(file)
      if (!facts || files.distance(file) === Infinity) continue
      const inSymbols = new Set<number>()
      for (const symbol of facts.symbols) for (const position of symbol.references ?? []) inSymbols.add(position)
      // Decorators and the language may run these when a test loads the module.
      for (const entry of this.symbols.implicit(file, '')) this.#reach(entry, 2, undefined, 'call')
      // Parsers that do not say who calls leave the file as a whole, of which not all will run.
      if (inSymbols.size === 0) this.#run(file, facts.references, 2)
      else this.#run(file, facts.references, 1, inSymbols)
    }
  }

  /** Runs what a file refers to, but for what only its symbols do. */
  #run(file: number, names: readonly string[], steps: number, inSymbols?: ReadonlySet<number>): void {
    const seen = this.symbols.visible(file)
    for (const [position, name] of names.entries()) {
      const namesakes = this.symbols.namesakes(name)
      if (namesakes) namesakes.called = true
      if (inSymbols?.has(position)) continue
      if (namesakes) {
        for (const entry of this.symbols.meant(name, namesakes, seen)) {
          if (this.#evidence.of(file, position, entry) !== 'none') this.#reach(entry, steps, undefined, 'call')
        }
      } else if (name.endsWith('*')) {
        for (const entry of this.symbols.computed(name, file)) this.#reach(entry, steps + 1, undefined, 'call')
      }
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
          this.#enterType(entry, entry.type)
        }
      }
    }
  }

  /** Functions inside a function run when it does, or are members of what it gives back. They are listed after it. */
  #enter(around: Reached): void {
    const prefix = `${around.symbol.name}.`
    const entries = this.symbols.of(around.file)
    for (let index = around.index + 1; ; index += 1) {
      const entry = entries[index]
      if (!entry?.symbol.name.startsWith(prefix)) return
      const callback = entry.symbol.kind === 'function'
      this.#reach(entry, around.steps + (callback ? 1 : 2), around, callback ? 'callback' : 'member')
    }
  }

  /** Members that run without calls may run as soon as something else of their type does. */
  #enterType(entry: Reached, type: string): void {
    if (type === '') return
    for (const member of this.symbols.implicit(entry.file, type)) {
      this.#reach(member, entry.steps + 1, entry, 'implicit')
    }
  }

  #call(caller: Reached): void {
    const seen = this.symbols.visible(caller.file)
    const references = this.#tree.facts(caller.file)?.references ?? []
    for (const position of caller.symbol.references ?? []) {
      const name = references[position]
      if (name === undefined) continue
      const namesakes = this.symbols.namesakes(name)
      if (namesakes) {
        for (const entry of this.symbols.meant(name, namesakes, seen)) {
          const certainty = this.#evidence.ofCaller(caller, position, entry)
          if (certainty === 'none') continue
          if (certainty !== 'perhaps') this.#reach(entry, caller.steps + 1, caller, 'call')
          else this.#reach(entry, caller.steps + stepsOfPerhaps, caller, 'perhaps')
        }
        for (const entry of this.symbols.perhaps(namesakes, caller.file, seen)) {
          if (this.#evidence.ofCaller(caller, position, entry) === 'none') continue
          this.#reach(entry, caller.steps + stepsOfPerhaps, caller, 'perhaps')
        }
      } else if (name.endsWith('*')) {
        for (const entry of this.symbols.computed(name, caller.file)) {
          this.#reach(entry, caller.steps + 1, caller, 'computed')
        }
      }
    }
  }

  #callByTest(entry: Reached, test: number, certainty: 'certain' | 'likely' = 'certain'): void {
    const tests = certainty === 'certain' ? entry.tests : entry.likelyTests
    if (tests.length < maxTests && tests.at(-1) !== test) tests.push(test)
    this.#reach(entry, 0, undefined, 'call')
  }

  #nameByTest(entry: Reached): void {
    entry.isNamed = true
    this.#reach(entry, stepsOfPerhaps, undefined, 'perhaps')
  }

  #reach(entry: Reached, steps: number, from: Reached | undefined, relation: Reached['relation']): void {
    if (entry === from) return
    entry.uses += relation === 'perhaps' ? usesOfPerhaps : 1
    if (entry.steps < steps) return
    if (entry.steps === steps && (relation !== 'call' || entry.relation === 'call')) return
    const isQueued = entry.steps === steps
    entry.steps = steps
    entry.from = from
    entry.relation = relation
    if (isQueued) return
    const level = this.#queue[steps]
    if (level) level.push(entry)
    else this.#queue[steps] = [entry]
  }
}
