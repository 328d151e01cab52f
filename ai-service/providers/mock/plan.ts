import { posix } from 'node:path'
import type { AiAvoided, AiSource, AiTarget, TestType } from '../../../core/ai/schema.ts'
import { callShape } from './call-shape.ts'
import { writeTest } from './write-test.ts'
import { openCases, titleOfCase } from '../../repository/case-words.ts'
import type { Brief, Candidate, Case, Facts } from '../../repository/facts.ts'
import { freePathFor } from '../../../engines/test-names/free-path.ts'
import { readConstruction, readGivenImport } from './given-import.ts'
import { isAvoided } from '../../repository/known-places.ts'
import { linguistNameOf } from '../../repository/languages.ts'
import { type BrowserFramework, type TestFramework, browserFramework } from '../../repository/frameworks.ts'
import { marked } from './marker.ts'
import { isFreeName } from './namespaces.ts'
import { inCode, inLiteral, isSafePath } from '../../repository/safe-text.ts'
import { type Smoke, smokeCases, smokeOf } from './smoke.ts'
import { type Subject, subjectOf } from './symbols.ts'
import { type Target, type Targets, pickTargets, targetsFor } from './targets.ts'
import { type TestedProject, testHomeFor } from '../../../engines/test-plan/test-home.ts'
import { testedProject } from '../../repository/source-files.ts'
import { testTypeOf } from './test-type.ts'

export interface PlannedTest {
  target: Target
  testType: TestType
  framework: TestFramework | BrowserFramework
  /** True if the project is known to use the framework. */
  frameworkKnown: boolean
  testPath: string
  /** True if the file exists or an earlier test of this answer creates it, so that the test is added to it. */
  testFileExists: boolean
  /** Names the subject, safe for titles and comments. */
  title: string
  /** The cases of the code that the test is for, as many as the example has tests. */
  cases: readonly Case[]
  /** How many known cases are left out of `cases`. */
  moreCases: number
  /** True if the code only checks that the subject can be loaded. */
  isSmoke: boolean
  code: string
}

export interface Plan {
  targets: Targets
  tests: PlannedTest[]
}

export interface Wishes {
  limit: number
  /** Overrides what the target itself suggests. */
  testType?: TestType | undefined
  framework?: string | undefined
  avoid?: readonly AiAvoided[] | undefined
  /** Replaces the ranking. The tests run, and each has its own file. */
  target?: AiTarget | undefined
  sources?: readonly AiSource[] | undefined
}

/** Chooses targets, test types and paths, and writes the tests. */
export function planTests(facts: Facts, wishes: Wishes): Plan {
  const hasBrowser = browserFramework(facts.testFrameworks, wishes.framework) !== undefined
  const isWanted = (target: Target) => {
    const testType = wishes.testType ?? testTypeOf(target, hasBrowser)
    return !isAvoided(wishes.avoid, { path: target.path, symbol: target.candidate?.symbol, testType })
  }
  const targets = wishes.target
    ? targetsFor(facts, wishes.target, wishes.limit)
    : pickTargets(facts, wishes.limit, isWanted)
  const known = new Set(facts.files.map((file) => file.path))
  const project = testedProject(facts, (path) => known.has(path))
  const tests = targets.picked.map((target) => {
    const test = planTest(target, facts, { project, known, wishes })
    known.add(test.testPath)
    return test
  })
  return { targets, tests }
}

interface Setting {
  project: TestedProject
  /** Files that exist or that earlier tests create. */
  known: ReadonlySet<string>
  wishes: Wishes
}

/** The largest number of tests in one example. */
const maxCases = 5

function planTest(target: Target, facts: Facts, { project, known, wishes }: Setting): PlannedTest {
  const browser = browserFramework(facts.testFrameworks, wishes.framework)
  const testType = wishes.testType ?? testTypeOf(target, browser !== undefined)
  const { path, language, candidate } = target
  const nearestTests = candidate?.nearestTests ?? []
  const given = candidate?.brief
  const home = testHomeFor(
    {
      path,
      language: linguistNameOf(language),
      testType,
      nearestTests,
      callingTests: candidate?.hasTest === true ? nearestTests.slice(0, 1) : [],
      wanted: wishes.framework ?? (testType === 'e2e' ? undefined : given?.framework),
    },
    project,
  )
  const drivesBrowser = home.framework === 'playwright' || home.framework === 'cypress'
  const brief = drivesBrowser ? undefined : given
  // Languages without templates get an outline, whatever runs their tests.
  const framework = language === 'other' && !drivesBrowser ? 'outline' : home.framework
  const smoke = wishes.target && !drivesBrowser ? smokeOf(target, wishes.sources) : undefined
  const usualPath = placeOf(brief, wishes) ?? home.path
  const testPath = wishes.target ? ownPath(usualPath, target, known) : usualPath
  const testFileExists = known.has(testPath) || (brief?.testFile.exists === true && testPath === brief.testFile.path)
  const subject = subjectOf(entryOf(target), language)
  const title = titleOf(target)
  const all = openCases(candidate?.cases ?? [])
  const cases = all.slice(0, maxCases)
  const titles = cases.map((one) => inLiteral(titleOfCase(one, language), 160))
  const root = rootOf(subject)
  const shape = callShape(brief?.signature, language)
  const code = writeTest({
    facts,
    language,
    framework,
    testType,
    subject,
    cases: smoke ? smokeCases : titles.length > 0 ? titles : ['to be completed'],
    hasCases: titles.length > 0,
    givenImport:
      root === undefined
        ? undefined
        : readGivenImport(brief?.import, { root, language, isFree: (name) => isFreeName(name, language) }),
    construction: readConstruction(brief?.construct, language),
    parameters: brief?.parameters.length === 0 && brief.signature === undefined ? undefined : brief?.parameters,
    shape,
    title,
    sourcePath: candidate?.through?.path ?? path,
    testPath,
    header: headerOf(target, {
      how: verbs[shape.how],
      title,
      testPath,
      testFileExists,
      unreachable: subject.form === 'whole',
      smoke,
      cases: smoke ? titles : [],
    }),
    smoke,
  })
  return {
    target,
    testType,
    framework,
    frameworkKnown: home.isKnown,
    testPath,
    testFileExists,
    title,
    cases,
    moreCases: all.length - cases.length + (candidate?.moreCases ?? 0),
    isSmoke: smoke !== undefined,
    code,
  }
}

/** The place that the brief names, unless the caller wants another framework. */
function placeOf(brief: Brief | undefined, { framework }: Wishes): string | undefined {
  if (!brief || (framework !== undefined && framework !== brief.framework)) return undefined
  return isSafePath(brief.testFile.path) ? brief.testFile.path : undefined
}

/** What a test calls: the public entry that reaches the candidate, or the candidate itself. */
function entryOf({ candidate, language }: Target): Candidate | undefined {
  const entry = candidate?.through
  if (!entry) return candidate
  const isMember = /[.#:]/.test(entry.symbol)
  const isClass = !isMember && readConstruction(candidate.brief?.construct, language)?.name === entry.symbol
  const kind = isMember ? ('method' as const) : isClass ? ('class' as const) : ('function' as const)
  return { ...candidate, ...entry, kind, exported: true }
}

/** The name that a test imports; undefined for a whole file. */
function rootOf(subject: Subject): string | undefined {
  if (subject.form === 'whole') return undefined
  return (subject.form === 'method' ? subject.owner : subject.path)[0]
}

/** In Rust, a unit test is part of its source file, which a generated test must not replace. */
function ownPath(usual: string, { path, candidate }: Target, known: ReadonlySet<string>): string {
  const own = usual === path ? `tests/${posix.parse(path).name}_test${posix.extname(path)}` : usual
  return freePathFor(candidate?.symbol, own, (path) => known.has(path)) ?? own
}

function titleOf({ candidate, path }: Target): string {
  const file = posix.basename(path)
  const symbol = candidate?.symbol.replace(/^\(\*?([^()]+)\)/, '$1')
  return inCode(symbol === undefined ? file : symbol === 'default' ? `default export of ${file}` : symbol, 120)
}

const verbs = { call: 'Calls', read: 'Reads', set: 'Sets' }

interface About {
  title: string
  /** What the test does with the subject. */
  how: string
  testPath: string
  testFileExists: boolean
  unreachable: boolean
  smoke: Smoke | undefined
  /** The cases that a smoke test does not have. */
  cases: readonly string[]
}

/**
 * The first two lines contain no text of the analysis: Python and Ruby read an encoding from comments there, so a symbol
 * named `coding: utf-7` would change how the file is read.
 */
function headerOf(target: Target, about: About): string[] {
  const { candidate } = target
  const { title, testPath } = about
  const joins = about.testFileExists || testPath === target.path
  const place = `${inCode(target.path, 300)}${linesOf(target)}`
  return [
    ...(about.smoke
      ? [
          marked('A smoke test: it passes if the code can be loaded.'),
          'Replace it by assertions of the expected result.',
        ]
      : [
          marked('A skeleton: it fails until completed.'),
          candidate?.brief
            ? 'Complete each test with its input and the expected result.'
            : 'Based on names only: adjust the call to the signature.',
        ]),
    `Covers ${candidate ? `${title} in ${place}` : place}.`,
    ...(candidate?.through ? [`${about.how} ${inCode(candidate.through.symbol, 200)}, which reaches it.`] : []),
    ...about.cases.map((title) => `To do: ${inCode(title, 200)}.`),
    ...(about.unreachable && candidate?.exported === false
      ? ['It is not exported: test it through the exports of its file.']
      : []),
    `${joins ? 'Add this to' : 'Save this as'} ${inCode(testPath, 300)}.`,
  ]
}

/** Returns text such as `, lines 10-42`, if the analysis has the lines. */
export function linesOf({ candidate }: Target): string {
  if (candidate?.startLine === undefined) return ''
  const { startLine, endLine = startLine } = candidate
  return endLine > startLine ? `, lines ${startLine}-${endLine}` : `, line ${startLine}`
}
