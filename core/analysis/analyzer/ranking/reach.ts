import type { ImportGraph } from '../graph/graph.ts'
import type { Link } from '../graph/links.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import { testFiles } from '../languages/test-paths.ts'
import type { SymbolFact } from '../types.ts'
import { testsByName } from './test-names.ts'

/** Imports that lead to a file from the tests: 1 is imported by one. Infinity is never. */
export type Distance = number

/** One file that uses another one, seen from the used one. */
interface User {
  file: number
  names: ReadonlySet<string>
  passesOn: boolean
}

/** How tests come to a file, whichever of its symbols they are after. */
export interface FileReach {
  distance: Distance
  /** The file that the shortest way from the tests comes through; undefined when tests import it themselves. */
  via: number | undefined
  /** Tests that are named after it. */
  namedTests: readonly number[]
  /** Tests that import it. */
  importingTests: readonly number[]
  /** The test at the start of the shortest way. */
  nearestTest: number | undefined
}

/** How directly tests get at one symbol of a file that they reach. */
export type Closeness =
  /** A test that imports the file, or is named after it, calls it. */
  | 'called-by-test'
  /** Runs whenever its class is used: constructors. */
  | 'runs-with-class'
  /** A file that imports this one calls it, and tests reach that file. */
  | 'called-by-importer'
  /** A function inside another one, which runs when that does, by name or as a callback. */
  | 'runs-with-outer'
  /** Its own file calls it. */
  | 'called-in-file'
  /** Some file that tests reach calls something of that name. */
  | 'called-elsewhere'
  /** Nothing that tests reach calls anything of that name. */
  | 'never-called'

export interface SymbolReach {
  closeness: Closeness
  /** How directly they get at the function around it, where `closeness` is that of the function around. */
  outer?: Closeness
  /** Tests that call it and either import its file or are named after it. */
  callingTests: readonly number[]
}

/** Where the tests of a repository get to, from the import graph and from what files are called. */
export class TestReach {
  readonly #tree: SourceTree
  readonly #users: readonly (readonly User[])[]
  readonly #named: ReadonlyMap<number, readonly number[]>
  readonly #distance: Float64Array
  readonly #via: Int32Array
  readonly #origin: Int32Array
  readonly #isTest: readonly boolean[]
  readonly #calledNames: ReadonlySet<string>

  constructor(tree: SourceTree, graph: ImportGraph) {
    this.#tree = tree
    const roles = testFiles(tree.files)
    const tests: number[] = []
    const halfway: number[] = []
    const sources: number[] = []
    this.#isTest = tree.files.map(({ path }, file) => {
      const role = roles.get(path) === 'support' && callsRunner(tree, file) ? 'test' : roles.get(path)
      const hasInlineTests = tree.facts(file)?.inlineTests === true
      if (role === 'support' || (hasInlineTests && role !== 'test')) halfway.push(file)
      if (role === 'support') return false
      if (role === 'test') tests.push(file)
      else if (tree.facts(file)) sources.push(file)
      return role === 'test' && runs(path)
    })
    this.#named = testsByName(tree, sources, tests)
    this.#users = usersOf(tree, graph)
    const count = tree.files.length
    this.#distance = new Float64Array(count).fill(Infinity)
    this.#via = new Int32Array(count).fill(-1)
    this.#origin = new Int32Array(count).fill(-1)
    this.#spread(
      graph,
      tests.filter((test) => this.#isTest[test]),
      halfway,
    )
    this.#calledNames = this.#namesCalled()
  }

  file(file: number): FileReach {
    const importingTests: number[] = []
    for (const user of this.#users[file] ?? []) if (this.#isTest[user.file]) importingTests.push(user.file)
    const via = this.#via[file] ?? -1
    const origin = this.#origin[file] ?? -1
    return {
      distance: this.#distance[file] ?? Infinity,
      via: via === -1 || this.#isTest[via] ? undefined : via,
      namedTests: this.#named.get(file) ?? [],
      importingTests,
      nearestTest: origin === -1 ? undefined : origin,
    }
  }

  /** For each of the file's symbols, in their order. */
  symbols(file: number, reach: FileReach): SymbolReach[] {
    const symbols = this.#tree.facts(file)?.symbols ?? []
    const functions = new Map<string, SymbolReach>()
    return symbols.map((symbol) => {
      const found = this.#symbol(file, symbol, reach)
      const around = outermost(symbol.name, functions)
      if (symbol.kind !== 'class') functions.set(symbol.name, found)
      if (!around) return found
      return { closeness: 'runs-with-outer', outer: around.closeness, callingTests: around.callingTests }
    })
  }

  #symbol(file: number, symbol: SymbolFact, reach: FileReach): SymbolReach {
    const segments = symbol.name.split('.')
    const own = segments.at(-1) ?? symbol.name
    const className = segments.at(-2)
    const runsWithClass = className !== undefined && isConstructor(own, className)
    const called = runsWithClass ? className : own
    const callingTests: number[] = []
    let byImporter = false
    for (const user of this.#users[file] ?? []) {
      const distance = this.#distance[user.file] ?? Infinity
      if (distance === Infinity) continue
      const calls = this.#tree.references(user.file).has(called) || (segments.length === 1 && user.names.has(called))
      if (!calls) continue
      if (this.#isTest[user.file]) callingTests.push(user.file)
      else if (!user.passesOn) byImporter = true
    }
    const inFile = this.#tree.references(file).has(called)
    if (inFile && this.#tree.facts(file)?.inlineTests) callingTests.push(file)
    for (const test of reach.namedTests) {
      if (!callingTests.includes(test) && this.#tree.references(test).has(called)) callingTests.push(test)
    }
    const byTest = callingTests.length > 0
    let closeness: Closeness = this.#calledNames.has(called) ? 'called-elsewhere' : 'never-called'
    if (runsWithClass && (byTest || byImporter || inFile)) closeness = 'runs-with-class'
    else if (byTest) closeness = 'called-by-test'
    else if (byImporter) closeness = 'called-by-importer'
    else if (inFile) closeness = 'called-in-file'
    return { closeness, callingTests }
  }

  /**
   * Breadth first from the tests. What serves the tests, and what holds tests inline, counts as if a test had
   * imported it.
   */
  #spread(graph: ImportGraph, tests: readonly number[], halfway: readonly number[]): void {
    let layer: number[] = []
    for (const test of tests) {
      this.#distance[test] = 0
      this.#origin[test] = test
      layer.push(test)
    }
    for (let distance = 0; layer.length > 0 || distance === 0; distance += 1) {
      if (distance === 1) {
        for (const file of halfway) {
          if (this.#distance[file] !== Infinity) continue
          this.#distance[file] = 1
          if (this.#tree.facts(file)?.inlineTests) this.#origin[file] = file
          layer.push(file)
        }
      }
      const next: number[] = []
      for (const file of layer) {
        for (const { to, typeOnly } of graph.links[file] ?? []) {
          if (typeOnly || (this.#distance[to] ?? 0) !== Infinity) continue
          this.#distance[to] = distance + 1
          this.#via[to] = file
          this.#origin[to] = this.#origin[file] ?? -1
          next.push(to)
        }
      }
      layer = next
    }
  }

  #namesCalled(): ReadonlySet<string> {
    const names = new Set<string>()
    for (const file of this.#tree.files.keys()) {
      if (this.#distance[file] === Infinity) continue
      for (const name of this.#tree.facts(file)?.references ?? []) names.add(name)
    }
    return names
  }
}

/** The function that a symbol is written in, the outermost where they are nested. */
function outermost(name: string, functions: ReadonlyMap<string, SymbolReach>): SymbolReach | undefined {
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const around = functions.get(name.slice(0, dot))
    if (around) return around
  }
  return undefined
}

function usersOf(tree: SourceTree, graph: ImportGraph): User[][] {
  const users: User[][] = tree.files.map(() => [])
  for (const [file, links] of graph.links.entries()) {
    for (const { to, names, typeOnly, passesOn } of links as readonly Link[]) {
      if (!typeOnly) users[to]?.push({ file, names, passesOn })
    }
  }
  return users
}

/** Tests of types alone (`.test-d.ts`) are compiled, never run. */
function runs(path: string): boolean {
  return !/-d\.[cm]?tsx?$/.test(path)
}

const runnerCalls = ['describe', 'it', 'test', 'suite']

/** A file among the tests that declares some is one, whatever it is called. */
function callsRunner(tree: SourceTree, file: number): boolean {
  const references = tree.references(file)
  return runnerCalls.some((name) => references.has(name))
}

const constructors = new Set(['constructor', '__init__', '__new__', '__post_init__', '__construct', 'initialize'])

function isConstructor(name: string, className: string): boolean {
  return constructors.has(name) || name === className
}
