import { cutText, relativePath } from '../text.ts'
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
  'test-unit',
  'phpunit',
  'test results',
  'undefined',
  '(empty)',
])
const sourceFile =
  /^(?!https?:)[^\s:]?[^:<>|"*?\n]*\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|cs|swift|dart|exs?|vue|feature|cpp|cc|c|xml|dist)$/

/** What the open suites say about the tests inside. */
export interface Around {
  /** The titles that are no files, outermost first. */
  chain: readonly string[]
  chainLength: number
  /** The file that the nearest suite names as its file, and the nearest title that is a file. */
  file: string | undefined
  fileTitle: string | undefined
  isPytest: boolean
  isRspec: boolean
  isNode: boolean
  /** Whether the outermost suite has an id, as Playwright writes it; undefined outside of suites. */
  hasId: boolean | undefined
  hostname: string
}

export const outside: Around = {
  chain: [],
  chainLength: 0,
  file: undefined,
  fileTitle: undefined,
  isPytest: false,
  isRspec: false,
  isNode: false,
  hasId: undefined,
  hostname: '',
}

/** Enters a suite. The titles are cut together, because every test and every inner suite repeats them. */
export function enterSuite(outer: Around, attributes: Attributes, maxName: number): Around {
  const { name, file, filepath, disabled, hostname, id } = attributes
  const title = cutText(name?.trim() ?? '', maxName)
  const isTitle = saysSomething(title)
  const titleIsFile = isTitle && isFile(title)
  const isAdded = isTitle && !titleIsFile
  const chain = isAdded ? [...outer.chain, title] : outer.chain
  const chainLength = outer.chainLength + (isAdded ? title.length : 0)
  const isLong = chainLength > 4 * maxName
  const short = isLong ? cutText(chain.join(' > '), 2 * maxName) : ''
  return {
    chain: isLong ? [short] : chain,
    chainLength: isLong ? short.length : chainLength,
    file: [file, filepath].find((text) => text !== undefined && isFile(text)) ?? outer.file,
    fileTitle: titleIsFile ? title : outer.fileTitle,
    isPytest: outer.isPytest || name === 'pytest' || name === 'pytest tests',
    isRspec: outer.isRspec || /^rspec\d*$/.test(name ?? ''),
    isNode: outer.isNode || (disabled !== undefined && hostname !== undefined),
    hasId: outer.hasId ?? id !== undefined,
    hostname: cutText(hostname ?? '', maxName),
  }
}

/**
 * Determines suite, name and file of the tests of one suite from their attributes and from the open suites. Tools
 * disagree on which attribute holds what: a class, a file, all titles joined, or the name of the tool.
 */
export function placementWithin(around: Around, roots: readonly string[]): (test: Attributes) => Placement {
  const { chain, isPytest, isRspec, isNode } = around
  const suite = chain.join(' > ')
  const fileOfSuite = around.file ?? around.fileTitle

  // Computed once per file and class, because most tests of a suite share them.
  const fileAt = rememberLast((path: string) => relativePath(path, roots))
  const isFileName = rememberLast(isFile)
  const suiteOfClass = rememberLast((className: string) => (repeats(chain, className) ? suite : className))

  const titled = (className: string, name: string, test: Attributes): { suite: string; name: string } => {
    // Playwright and Vitest write the file as the class, and all titles as the name.
    if (isFileName(className)) {
      const isPlaywright = name.includes(' › ') || around.hasId === true
      const parts = name.split(name.includes(' › ') ? ' › ' : ' > ')
      const project = isPlaywright ? around.hostname : ''
      return { suite: joined([project, ...chain, ...parts.slice(0, -1)]), name: parts.at(-1) ?? name }
    }
    // The suites of PHPUnit describe the selection of tests, and contain one suite per data provider.
    if (test['class'] !== undefined && className !== '') return { suite: className, name }
    if (className === '' || isRspec) return { suite, name }
    // jest-junit writes all titles as class and name, and names the suite after the first title of the file.
    if (className === name && !isPytest) {
      const start = `${chain.at(-1) ?? ''} `
      return name.startsWith(start) ? { suite, name: name.slice(start.length) } : { suite: '', name }
    }
    // mocha-junit-reporter writes the title as the class and all titles as the name.
    if (name.endsWith(className) && name.at(-className.length - 1) === ' ') {
      return { suite: name.slice(0, -className.length - 1), name: className }
    }
    return { suite: isPytest ? className : suiteOfClass(className), name }
  }

  return (test) => {
    const className = (test['class'] ?? test['classname'] ?? '').trim()
    const ownFile = test['file'] ?? test['filepath']
    const path = ownFile ?? fileOfSuite ?? (isFileName(className) ? className : undefined)
    const titles = titled(className, (test['name'] ?? '').trim(), test)
    const { suite: own, name } = isNode || className === 'test' ? withQuotes(titles) : titles
    const file = path === undefined || path === '' ? null : fileAt(path)
    return { suite: own, name, file, line: lineOf(test['line'] ?? test['lineno'], isPytest) }
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
