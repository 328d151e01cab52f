import { posix } from 'node:path'
import { ancestors, directoryOf } from '../graph/paths.ts'
import type { TestBrief } from '../schema.ts'
import type { TestedFiles } from './tested-files.ts'

const maxHelpers = 6
const maxLines = 20_000

/**
 * Describes the test that the author of a new one reads first. Many candidates have the same one, and each test is read
 * once for all of them.
 */
export class NearestTests {
  readonly #files: TestedFiles
  readonly #read = new Map<string, ReadTest>()

  constructor(files: TestedFiles) {
    this.#files = files
  }

  /** The line of the test that names the symbol, and the helpers that the file uses. */
  describe(path: string, symbol: string): TestBrief['nearestTest'] {
    const { lines, first, helpers } = this.#reading(path)
    const line = lineOfTest(lines, first, symbol)
    return { path, ...(line !== undefined && { line }), helpers }
  }

  #reading(path: string): ReadTest {
    const known = this.#read.get(path)
    if (known) return known
    const text = this.#files.text(path) ?? ''
    const lines = text.split('\n', maxLines).map((line) => line.slice(0, 300))
    const first = lines.findIndex((line) => beginning.test(line))
    const test = { lines, first, helpers: helpersOf(path, text, this.#files) }
    this.#read.set(path, test)
    return test
  }
}

interface ReadTest {
  lines: readonly string[]
  /** Where the first test begins; -1 where there is none. */
  first: number
  helpers: string[]
}

const beginning =
  /^\s*(?:(?:test|it|specify|describe|context|scenario)\b[\w.]*\s*[(\s'"]|QUnit\.test\(|(?:async )?def test|func Test|class \w*Tests?\b|(?:pub )?(?:async )?fn \w+|(?:public |final )*(?:function|void|async Task) \w+\()/
const importing = /^\s*(?:import\b|from\b|export\b|use\b|using\b|require|package\b|const .*\brequire\(|#|\/\/|\*|\/\*)/

/** The line of the first test that names the symbol, else that of the first test. */
function lineOfTest(lines: readonly string[], first: number, symbol: string): number | undefined {
  for (const name of namesIn(symbol)) {
    const named = lines.findIndex((line, index) => index >= first && mentions(line, name) && !importing.test(line))
    for (let index = named; index >= 0; index--) {
      if (beginning.test(lines[index] ?? '')) return index + 1
    }
  }
  return first === -1 ? undefined : first + 1
}

const constructors = /^(?:constructor|__init__|__construct|initialize|new)$/

/** The names by which a test may speak of a symbol, the most exact first. Code calls a constructor by the name of its class. */
const namesIn = (symbol: string) =>
  symbol
    .split(/[.:#\\]+/)
    .filter((name) => name !== '' && !constructors.test(name))
    .toReversed()

function mentions(line: string, name: string): boolean {
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + 1)) {
    const around = `${line[at - 1] ?? ' '}${line[at + name.length] ?? ' '}`
    if (!/[\p{L}\p{N}_$]/u.test(around)) return true
  }
  return false
}

/** The functions and fixtures of the tests that a test imports, defines or asks for. */
function helpersOf(path: string, text: string, files: TestedFiles): string[] {
  const facts = files.facts(path)
  const imported = files
    .imports(path)
    .filter(({ specifier }) => isSupport(specifier, path, files))
    .flatMap(({ defaultName, names }) => [...(defaultName === undefined ? [] : [defaultName]), ...names.map(({ local }) => local)]) // prettier-ignore
  const fromModules = (facts?.imports ?? [])
    .filter(
      ({ specifier }) =>
        /(?:^|\.)(?:tests?|testing|helpers?|utils?|fixtures?|conftest|support)(?:\.|$)/.test(specifier) &&
        !path.match(/\.[cm]?[jt]sx?$/),
    ) // prettier-ignore
    .flatMap(({ names }) => names.filter((name) => name !== '*'))
  const own = functionsOf(path, files, text.split('\n', maxLines)).filter((name) => mentionedTwice(text, name))
  const fixtures = path.endsWith('.py')
    ? [...ancestors(directoryOf(path))]
        .flatMap((folder) => functionsOf(posix.join(folder, 'conftest.py'), files))
        .filter((name) => mentions(text, name))
    : []
  return [...new Set([...imported, ...fromModules, ...own, ...fixtures])].slice(0, maxHelpers)
}

/** A language whose tests are nested functions or blocks, in which a helper may be local to one test. */
const nesting = /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb)$/

/** Functions at the top of a file that are no tests themselves. With its lines, those inside of a test are left out. */
function functionsOf(path: string, files: TestedFiles, lines: readonly string[] = []): string[] {
  const symbols = files.facts(path)?.symbols ?? []
  return symbols
    .filter(
      ({ name, kind, startLine }) =>
        !(nesting.test(path) && /^\s/.test(lines[startLine - 1] ?? '')) &&
        (kind === 'function' || kind === 'class') &&
        !name.includes('.') &&
        !/^(?:test|Test|Benchmark|Example|Fuzz|default$)|(?:Tests?|Spec|TestCase)$/.test(name),
    ) // prettier-ignore
    .map(({ name }) => name)
}

function mentionedTwice(text: string, name: string): boolean {
  const first = text.indexOf(name)
  return first !== -1 && mentions(text.slice(first + name.length), name)
}

/** Whether a relative import leads to a file for tests, such as a helper. */
function isSupport(specifier: string, test: string, files: TestedFiles): boolean {
  if (!specifier.startsWith('.')) return false
  const base = posix.join(directoryOf(test), specifier)
  const stem = base.replace(/\.[cm]?[jt]sx?$/, '')
  const paths = [base, ...['.ts', '.tsx', '.js', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '/index.ts', '/index.js'].map((end) => stem + end)] // prettier-ignore
  const found = paths.find((path) => files.has(path))
  return found !== undefined && files.isTest(found)
}
