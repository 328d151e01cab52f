import { posix } from 'node:path'
import { conventionFor } from '../test-names/conventions.ts'
import {
  type BrowserFramework,
  browserFramework,
  chooseFramework,
  frameworkNamed,
  type NamedFramework,
  type TestFramework,
} from '../test-names/frameworks.ts'
import { familyOf, suits, type TestType } from '../test-names/learned-layout.ts'
import { folderOf, isWithin } from '../test-names/paths.ts'
import { readTestName } from '../test-names/test-name.ts'
import {
  byCloseness,
  hasTestsBeside,
  type Layout,
  nameForTest,
  testExtension,
  testPathFor,
  testsByFolder,
} from '../test-names/test-place.ts'
import { collectsFile } from './describe-testing.ts'
import type { TestingPart } from './schema.ts'

/** How a repository is tested, as far as it is known. */
export interface TestedProject {
  /** What a run would do; empty if there is no plan. */
  testing: readonly TestingPart[]
  /** Frameworks that were detected, for parts whose command does not show one. */
  testFrameworks: readonly NamedFramework[]
  layout: Layout
  isFile: (path: string) => boolean
}

/** The code that a test is for. */
export interface TestSubject {
  path: string
  /** As GitHub's linguist names it. Only needed for files whose extension does not show it. */
  language?: string | undefined
  testType: TestType
  /** Known tests near the source, best first. */
  nearestTests: readonly string[]
  /** The tests that call the symbol, best first. */
  callingTests?: readonly string[] | undefined
  /** A framework to use instead of that of the project. */
  wanted?: string | undefined
}

export interface TestHome {
  framework: TestFramework | BrowserFramework
  /** False if the framework is only the usual one of the language. */
  isKnown: boolean
  /** The file to write the test into. */
  path: string
  exists: boolean
  /** The part of the plan that runs the file. */
  part: TestingPart | undefined
}

/**
 * Decides how and where a test of some code is written: with the framework of the part of the plan that runs it, in the
 * best test file that calls it, in the one that exists for its source, in a new one that is named like the others and that
 * the command collects, or else in the nearest file that the command collects.
 */
export function testHomeFor(subject: TestSubject, project: TestedProject): TestHome {
  const { testing, testFrameworks, layout, isFile } = project
  const browser = browserFramework([...runnersOf(testing), ...testFrameworks], subject.wanted)
  const drivesBrowser = subject.testType === 'e2e' && browser !== undefined
  const part = partFor(subject, testing, drivesBrowser)
  const placeFor = (framework: string) => testPathFor({ ...subject, framework }, layout)
  const { framework, known } = drivesBrowser
    ? { framework: browser, known: true }
    : frameworkOf(subject, part, project, placeFor)
  const usual = placeFor(framework)
  const calling = callingTest(subject, framework, { part, usual, project })
  const path = calling ?? collectedPlace(subject, framework, { part, usual, project })
  return { framework, isKnown: known, path, exists: isFile(path), part }
}

/** Returns the part that tests the file; the browser's part only for a test that drives a browser. */
function partFor(
  { path, language, nearestTests }: TestSubject,
  testing: readonly TestingPart[],
  drivesBrowser: boolean,
): TestingPart | undefined {
  const ecosystems = ecosystemsOf(path, language)
  const fitting = testing.filter(
    ({ ecosystem, framework }) =>
      (ecosystem === 'custom' || ecosystems.includes(ecosystem)) &&
      (browserFramework([{ name: framework, confidence: 1 }]) !== undefined) === drivesBrowser,
  )
  const around = fitting.filter(({ directory }) => isWithin(path, directory))
  const depth = Math.max(...around.map(({ directory }) => directory.length))
  const innermost = around.filter(({ directory }) => directory.length === depth)
  const collecting = (parts: readonly TestingPart[]) =>
    parts.find((part) => nearestTests.some((test) => collectsFile(part, test) === true))
  return collecting(innermost) ?? innermost[0] ?? collecting(fitting)
}

const jvm = ['java']
const ecosystems: Readonly<Record<string, readonly string[]>> = {
  JavaScript: ['javascript'],
  Vue: ['javascript'],
  Python: ['python'],
  Go: ['go'],
  Java: jvm,
  Kotlin: jvm,
  Groovy: jvm,
  Scala: jvm,
  Ruby: ['ruby'],
  Rust: ['rust'],
  PHP: ['php'],
  'C#': ['csharp'],
  'F#': ['csharp'],
  'Visual Basic .NET': ['csharp'],
}

function ecosystemsOf(path: string, language: string | undefined): readonly string[] {
  const [family = ''] = conventionFor(path, language).languages
  return (Object.hasOwn(ecosystems, family) ? ecosystems[family] : undefined) ?? []
}

const runnersOf = (testing: readonly TestingPart[]): NamedFramework[] =>
  testing.map(({ framework }) => ({ name: framework, confidence: 1 }))

/** The command names the framework, unless it is that of a build tool. Then the tests in the same folder decide. */
function frameworkOf(
  subject: TestSubject,
  part: TestingPart | undefined,
  { testing, testFrameworks, layout }: TestedProject,
  placeFor: (framework: string) => string,
): { framework: TestFramework; known: boolean } {
  const { path, language, wanted, nearestTests } = subject
  const choose = (nearestTest?: string, named = testFrameworks) =>
    chooseFramework({ path, language }, named, { wanted, nearestTest })
  const planned = part && wanted === undefined ? frameworkNamed(part.framework, path, language) : undefined
  if (planned) return { framework: planned, known: true }
  // Outside of all parts, the code is tested as other parts of its language are.
  const named = part ? [] : runnersOf(testing).filter(({ name }) => frameworkNamed(name, path, language) !== undefined)
  if (named.length > 0) return choose(nearestTests[0], named)
  const usual = placeFor(choose(nearestTests[0]).framework)
  return choose(hasTestsBeside(usual, subject, layout) ? usual : (nearestTests[0] ?? usual))
}

interface Placing {
  part: TestingPart | undefined
  /** The place by the layout of the tests, which the command may not collect. */
  usual: string
  project: TestedProject
}

const typed = /\.[cm]?tsx?$/

/** The best unit test that calls the symbol, that its command collects and that can hold a test of the source. */
function callingTest(
  { path, language, testType, callingTests = [] }: TestSubject,
  framework: string,
  { part, usual, project: { layout, isFile } }: Placing,
): string | undefined {
  if (testType !== 'unit' || callingTests.length === 0) return undefined
  // A file that holds its own tests holds further ones.
  if (usual === path && callingTests.includes(path)) return path
  const learned = (layout.learned.get(familyOf(path, language))?.tests ?? []).map((known) => known.path)
  // A command that collects none of the tests that exist is not known well enough.
  const isPartKnown = part && learned.some((known) => collectsFile(part, known) === true)
  const canHold = (test: string) => {
    if (test === path || !isFile(test) || !suits(folderOf(test), testType)) return false
    if ((typed.test(path) && !typed.test(test)) || frameworkNamed(framework, test, language) === undefined) return false
    // Where the command does not tell, the names of the tests do.
    return (part && collectsFile(part, test) === true) || (!isPartKnown && learned.includes(test))
  }
  return callingTests.find(canHold)
}

function collectedPlace(
  subject: TestSubject,
  framework: string,
  { part, usual, project: { layout, isFile } }: Placing,
): string {
  if (!part || usual === subject.path || collectsFile(part, usual) !== false) return usual
  const family = layout.learned.get(familyOf(subject.path, subject.language))
  const near = family ? [...byCloseness(testsByFolder(family), usual)] : []
  const isFree = (path: string) => path !== subject.path && collectsFile(part, path) === true
  const named = globsOf(part).map((glob) => posix.join(part.directory, glob))
  const collected = [...new Set([...subject.nearestTests, ...near, ...named])].filter(
    (test) => isFile(test) && collectsFile(part, test) === true,
  )
  // A command that collects none of the tests that exist is not known well enough.
  if (collected.length === 0 && near.length > 0) return usual
  const name = nameForTest(subject)
  const beside = collected.map((test) => {
    const { prefix, suffix } = readTestName(test).affix
    return posix.join(folderOf(test), `${prefix}${name}${suffix}${posix.extname(test)}`)
  })
  const likeGlobs = globsOf(part).flatMap((glob) =>
    placeInGlob(glob, name, testExtension({ ...subject, framework })).map((path) => posix.join(part.directory, path)),
  )
  return beside.find(isFree) ?? likeGlobs.find(isFree) ?? collected[0] ?? usual
}

/**
 * Returns why a run would not include a test with this path: the commands that collect other files only. Undefined if it
 * would, if that is not known, or if the commands name single files, so that no new file can be among them. Then it can be
 * beside these.
 */
export function whyUncollected(path: string, testing: readonly TestingPart[]): string | undefined {
  const ecosystems = ecosystemsOf(path, undefined)
  const fitting = testing.filter(
    ({ ecosystem, directory }) => ecosystems.includes(ecosystem) && isWithin(path, directory),
  )
  const isLeftOut = (part: TestingPart) =>
    collectsFile(part, path) === false && !fixedFiles(part).some((file) => folderOf(file) === folderOf(path))
  // A custom command may collect anything.
  if (fitting.length === 0 || testing.some(({ ecosystem }) => ecosystem === 'custom') || !fitting.every(isLeftOut)) {
    return undefined
  }
  return fitting
    .slice(0, 3)
    .map(({ command, directory, testFiles = [] }) => {
      const place = directory === '' ? '' : ` in ${directory}`
      return `\`${command.slice(0, 200)}\`${place} runs ${testFiles.slice(0, 5).join(', ').slice(0, 200)}`
    })
    .join('; ')
}

/** Whether a run is known to include a test with this path, whatever its name. */
export const isCollected = (path: string, testing: readonly TestingPart[]): boolean =>
  testing.some((part) => collectsFile(part, path) === true)

/** Returns the files of a part that collects nothing else, relative to the repository; empty for other parts. */
export function fixedFiles(part: TestingPart): string[] {
  const globs = globsOf(part)
  return globs.some(isPattern) ? [] : globs.map((glob) => posix.join(part.directory, glob))
}

const globsOf = ({ testFiles = [] }: TestingPart) => testFiles.filter((glob) => !glob.startsWith('!'))

/** Returns paths that a glob such as `test/**\/*.test.{js,ts}` matches: below its fixed folders, with its ending. */
function placeInGlob(glob: string, name: string, extension: string): string[] {
  const segments = glob.split('/')
  const pattern = segments.pop() ?? ''
  // A pattern without a star is the name of one file.
  if (!pattern.includes('*')) return []
  const wild = segments.findIndex((segment) => isPattern(segment))
  const folder = (wild === -1 ? segments : segments.slice(0, wild)).join('/')
  const [start = '', ...ends] = firstAlternatives(pattern).split(/\*+/)
  const end = ends.join('')
  const { ext, name: marks } = posix.parse(`x${end}`)
  return [`${start}${name}${marks.slice(1)}${extension}`, `${start}${name}${marks.slice(1)}${ext}`].map((file) =>
    posix.join(folder, file),
  )
}

const isPattern = (glob: string) => ['*', '?', '[', '{'].some((sign) => glob.includes(sign))

/** `{.,-}test.{js,ts}` as `.test.js`. */
function firstAlternatives(pattern: string): string {
  const [start = '', ...groups] = pattern.split('{')
  const first = groups.map((group) => {
    const [alternatives = '', ...rest] = group.split('}')
    return `${alternatives.split(',', 1).join('')}${rest.join('')}`
  })
  return [start, ...first].join('')
}
