import type { ImportGraph } from '../graph/graph.ts'
import type { FilePaths } from '../graph/file-paths.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import { testFiles } from '../../test-names/roles.ts'
import { testsByName } from '../../test-names/named-sources.ts'

/** How tests reach a file through imports. */
export interface FileReach {
  /** Imports between it and the tests: 1 is imported by one, Infinity is never reached. */
  distance: number
  /** The file that the shortest way from the tests comes through; undefined when tests import it themselves. */
  via: number | undefined
  /** Tests that are named after it. */
  namedTests: readonly number[]
  /** Tests that import it. */
  importingTests: readonly number[]
  /** The test at the start of the shortest way. */
  nearestTest: number | undefined
}

/** Where the tests of a repository get to, from the import graph and from what files are called. */
export class FileReaches {
  /** Files that hold tests which run. */
  readonly tests: readonly number[]
  /** Files that only serve the tests. */
  readonly support: readonly number[]
  readonly #namedTests: ReadonlyMap<number, readonly number[]>
  readonly #importingTests = new Map<number, number[]>()
  readonly #distance: Float64Array
  readonly #via: Int32Array
  readonly #origin: Int32Array
  readonly #isTest: Uint8Array

  constructor(tree: SourceTree, graph: ImportGraph) {
    const roles = testFiles(tree.files)
    const tests: number[] = []
    const support: number[] = []
    const sources: number[] = []
    const inline: number[] = []
    for (const [file, { path }] of tree.files.entries()) {
      // A command can name tests that no convention knows.
      const role = roles.get(path) ?? (tree.isTest(file) ? 'test' : undefined)
      if (role === 'test' || (role === 'support' && speaksAsTest(tree, file))) {
        if (runs(path)) tests.push(file)
      } else if (role === 'support') support.push(file)
      else if (tree.facts(file)) {
        sources.push(file)
        if (tree.facts(file)?.inlineTests) inline.push(file)
      }
    }
    this.tests = tests
    const names = namedTests(tree, sources, tests)
    const helpers = testHelpers(tree, graph, { sources, isServing: new Set([...tests, ...support]), isTested: names })
    for (const helper of helpers) names.delete(helper)
    support.push(...helpers)
    this.support = support
    const count = tree.files.length
    this.#isTest = new Uint8Array(count)
    for (const test of tests) {
      this.#isTest[test] = 1
      for (const { to, typeOnly, passesOn } of graph.links[test] ?? []) {
        if (typeOnly || passesOn) continue
        const known = this.#importingTests.get(to)
        if (known) known.push(test)
        else this.#importingTests.set(to, [test])
      }
    }
    this.#namedTests = names
    this.#distance = new Float64Array(count).fill(Infinity)
    this.#via = new Int32Array(count).fill(-1)
    this.#origin = new Int32Array(count).fill(-1)
    this.#spread(graph, inline)
  }

  of(file: number): FileReach {
    const via = this.#via[file] ?? -1
    const origin = this.#origin[file] ?? -1
    return {
      distance: this.distance(file),
      via: via === -1 || this.#isTest[via] === 1 ? undefined : via,
      namedTests: this.#namedTests.get(file) ?? [],
      importingTests: this.#importingTests.get(file) ?? [],
      nearestTest: origin === -1 ? undefined : origin,
    }
  }

  distance(file: number): number {
    return this.#distance[file] ?? Infinity
  }

  /** Sources with the tests that are named after them. */
  named(): Iterable<[number, readonly number[]]> {
    return this.#namedTests
  }

  /**
   * Breadth first from the tests. What serves the tests, and what holds tests inline, counts as if a test had imported
   * it.
   */
  #spread(graph: ImportGraph, inline: readonly number[]): void {
    let layer: number[] = []
    for (const test of this.tests) {
      this.#distance[test] = 0
      this.#origin[test] = test
      layer.push(test)
    }
    for (let distance = 0; layer.length > 0 || distance === 0; distance += 1) {
      const next: number[] = []
      if (distance === 0) {
        for (const file of inline) this.#origin[file] = file
        for (const file of [...this.support, ...inline]) {
          this.#distance[file] = 1
          next.push(file)
        }
      }
      for (const file of layer) {
        for (const { to, typeOnly } of graph.links[file] ?? []) {
          if (typeOnly || this.distance(to) !== Infinity) continue
          this.#distance[to] = distance + 1
          this.#via[to] = file
          this.#origin[to] = this.#origin[file] ?? -1
          next.push(to)
        }
      }
      layer = next
    }
  }
}

/** The answer for the latest sources and tests of these paths. */
const knownNames = new WeakMap<FilePaths, { asked: readonly number[]; answer: ReadonlyMap<number, number[]> }>()

function namedTests(
  { paths }: SourceTree,
  sources: readonly number[],
  tests: readonly number[],
): Map<number, number[]> {
  const asked = [...sources, -1, ...tests]
  let known = knownNames.get(paths)
  if (known?.asked.length !== asked.length || asked.some((file, index) => file !== known?.asked[index])) {
    const pathOf = (file: number) => paths.all[file] ?? ''
    const idsOf = (some: readonly string[]) => some.flatMap((path) => paths.idOf(path) ?? [])
    const found = testsByName(sources.map(pathOf), tests.map(pathOf))
    known = {
      asked,
      answer: new Map([...found].flatMap(([source, by]) => idsOf([source]).map((id) => [id, idsOf(by)]))),
    }
    knownNames.set(paths, known)
  }
  return new Map(known?.answer)
}

const helperFolder = /(?:^|\/)testing\//

interface Roles {
  sources: readonly number[]
  /** Tests, and what is known to serve them. */
  isServing: ReadonlySet<number>
  /** Sources that tests are named after. */
  isTested: ReadonlyMap<number, unknown>
}

/** Files in folders named `testing` that only tests use, be it for their types or as workers. */
function testHelpers(tree: SourceTree, graph: ImportGraph, { sources, isServing, isTested }: Roles): number[] {
  const helpers = new Set(sources.filter((file) => helperFolder.test(tree.pathOf(file)) && !isTested.has(file)))
  if (helpers.size === 0) return []
  const users = new Map<number, number[]>()
  for (const [from, links] of graph.links.entries()) {
    for (const { to } of links) {
      if (!helpers.has(to)) continue
      const known = users.get(to)
      if (known) known.push(from)
      else users.set(to, [from])
    }
  }
  const isUsedByOthers = (helper: number) => {
    const own = users.get(helper) ?? []
    return own.length === 0 || own.some((user) => !isServing.has(user) && !helpers.has(user))
  }
  // One that the product uses takes those that it uses along.
  const others = [...helpers].filter(isUsedByOthers)
  for (const other of others) {
    helpers.delete(other)
    for (const { to } of graph.links[other] ?? []) if (helpers.delete(to)) others.push(to)
  }
  return [...helpers]
}

/** Tests of types alone (`.test-d.ts`) are compiled, never run. */
function runs(path: string): boolean {
  return !/-d\.[cm]?tsx?$/.test(path)
}

const sayings = ['describe', 'it', 'test', 'suite', 'Assert', 'ShouldBe', 'Should']

/** Whether a file among the tests is a test: it declares tests or asserts something. */
function speaksAsTest(tree: SourceTree, file: number): boolean {
  const references = tree.references(file)
  return sayings.some((name) => references.has(name))
}
