import { relativePath } from '../text.ts'
import type { Attributes } from '../xml-events.ts'

export interface Placement {
  suite: string
  name: string
  file: string | null
  line: number | null
}

/** Names that tools give to the container of all suites. They say nothing about a test. */
const namesOfEverything = new Set([
  'pytest',
  'pytest tests',
  'jest tests',
  'vitest tests',
  'mocha tests',
  'root suite',
  'bun test',
  'nextest-run',
  'alltests',
  'rspec',
  'minitest',
  'phpunit',
  'test results',
  'undefined',
  '(empty)',
])
const sourceFile =
  /^(?!https?:)[^\s:]?[^:<>|"*?\n]*\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|cs|swift|dart|exs?|vue|feature|cpp|cc|c|xml|dist)$/

/**
 * Determines suite, name and file of the tests of one suite from their attributes and those of the outer suites, outermost
 * first. Tools disagree on which attribute holds what: a class, a file, all titles joined, or the name of the tool.
 */
export function placementWithin(
  suites: readonly Attributes[],
  roots: readonly string[],
): (test: Attributes) => Placement {
  const titles = suites.map((suite) => suite['name']?.trim() ?? '').filter(saysSomething)
  const chain = titles.filter((title) => !isFile(title))
  const suite = chain.join(' > ')
  const isPytest = suites.some(({ name }) => name === 'pytest' || name === 'pytest tests')
  const isRspec = suites.some(({ name }) => /^rspec\d*$/.test(name ?? ''))
  const fileOfSuite = suites
    .toReversed()
    .flatMap((around) => [around['file'], around['filepath']])
    .concat(titles.toReversed())
    .find((text) => text !== undefined && isFile(text))

  // Computed once per file and class, because most tests of a suite share them.
  const fileAt = rememberLast((path: string) => relativePath(path, roots))
  const isFileName = rememberLast(isFile)
  const suiteOfClass = rememberLast((className: string) => (repeats(chain, className) ? suite : className))

  const titled = (className: string, name: string, test: Attributes): { suite: string; name: string } => {
    // Playwright and Vitest write the file as the class, and all titles as the name.
    if (isFileName(className)) {
      const isPlaywright = name.includes(' › ') || suites[0]?.['id'] !== undefined
      const parts = name.split(name.includes(' › ') ? ' › ' : ' > ')
      const project = isPlaywright ? (suites.at(-1)?.['hostname'] ?? '') : ''
      return { suite: joined([project, ...chain, ...parts.slice(0, -1)]), name: parts.at(-1) ?? name }
    }
    // The suites of PHPUnit describe the selection of tests, and contain one suite per data provider.
    if (test['class'] !== undefined && className !== '') return { suite: className, name }
    if (className === '' || isRspec) return { suite, name }
    // jest-junit writes all titles as class and name, and names the suite after the first title of the file.
    if (className === name) {
      const start = `${chain.at(-1) ?? ''} `
      return name.startsWith(start) ? { suite, name: name.slice(start.length) } : { suite: '', name }
    }
    // mocha-junit-reporter writes the title as the class and all titles as the name.
    if (name.endsWith(className) && name.at(-className.length - 1) === ' ') {
      return { suite: name.slice(0, -className.length - 1), name: className }
    }
    return { suite: isPytest ? className : suiteOfClass(className), name }
  }

  const isNode = suites.some(({ disabled, hostname }) => disabled !== undefined && hostname !== undefined)

  return (test) => {
    const className = (test['class'] ?? test['classname'] ?? '').trim()
    const ownFile = test['file'] ?? test['filepath']
    const path = ownFile ?? fileOfSuite ?? (isFileName(className) ? className : undefined)
    const titles = titled(className, (test['name'] ?? '').trim(), test)
    const { suite: around, name } = isNode || className === 'test' ? withQuotes(titles) : titles
    const file = path === undefined || path === '' ? null : fileAt(path)
    return { suite: around, name, file, line: lineOf(test['line'] ?? test['lineno'], isPytest) }
  }
}

function rememberLast<Result>(find: (text: string) => Result): (text: string) => Result {
  let last: { text: string; result: Result } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, result: find(text) }
    return last.result
  }
}

/** Whether the class only repeats the outer suites. */
function repeats(chain: readonly string[], className: string): boolean {
  if (chain.length === 0) return className === 'test' || className === 'suite'
  const last = chain.at(-1) ?? ''
  return (
    className === 'test' ||
    className === last ||
    last.endsWith(`/${className}`) ||
    ['.', ' > ', ' ', '::', '/'].some((separator) => chain.join(separator) === className)
  )
}

/** Node escapes quotes twice. */
function withQuotes({ suite, name }: { suite: string; name: string }) {
  return { suite: suite.replaceAll('&quot;', '"'), name: name.replaceAll('&quot;', '"') }
}

function saysSomething(title: string): boolean {
  return title !== '' && !namesOfEverything.has(title.toLowerCase())
}

function isFile(text: string): boolean {
  return sourceFile.test(text)
}

function joined(titles: string[]): string {
  return titles.filter((title) => title !== '').join(' > ')
}

/** pytest counts lines from 0. */
function lineOf(text: string | undefined, fromZero: boolean): number | null {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return null
  const line = Number(text) + (fromZero ? 1 : 0)
  return line === 0 ? null : line
}
