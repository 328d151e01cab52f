import { posix } from 'node:path'
import type { AiAvoided, AiSource, AiTarget, TestType } from '../../../core/ai/schema.ts'
import { casesFor, writeTest } from './write-test.ts'
import type { Facts } from '../../repository/facts.ts'
import { freePathFor } from '../../../engines/test-names/free-path.ts'
import { isAvoided } from '../../repository/known-places.ts'
import { linguistNameOf } from '../../repository/languages.ts'
import { type BrowserFramework, type TestFramework, browserFramework } from '../../repository/frameworks.ts'
import { marked } from './marker.ts'
import { inCode } from '../../repository/safe-text.ts'
import { type Smoke, smokeCases, smokeOf } from './smoke.ts'
import { subjectOf } from './symbols.ts'
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
  cases: readonly string[]
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

function planTest(target: Target, facts: Facts, { project, known, wishes }: Setting): PlannedTest {
  const browser = browserFramework(facts.testFrameworks, wishes.framework)
  const testType = wishes.testType ?? testTypeOf(target, browser !== undefined)
  const { path, language, candidate } = target
  const nearestTests = candidate?.nearestTests ?? []
  const home = testHomeFor(
    { path, language: linguistNameOf(language), testType, nearestTests, wanted: wishes.framework },
    project,
  )
  const drivesBrowser = home.framework === 'playwright' || home.framework === 'cypress'
  // Languages without templates get an outline, whatever runs their tests.
  const framework = language === 'other' && !drivesBrowser ? 'outline' : home.framework
  const smoke = wishes.target && !drivesBrowser ? smokeOf(target, wishes.sources) : undefined
  const testPath = wishes.target ? ownPath(home.path, target, known) : home.path
  const testFileExists = known.has(testPath)
  const subject = subjectOf(target.candidate, target.language)
  const title = titleOf(target)
  const cases = smoke ? smokeCases : casesFor(subject, testType, target.candidate?.complexity)
  const code = writeTest({
    facts,
    language: target.language,
    framework,
    testType,
    subject,
    cases,
    title,
    sourcePath: target.path,
    testPath,
    header: headerOf(target, { title, testPath, testFileExists, unreachable: subject.form === 'whole', smoke }),
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
    code,
  }
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

interface About {
  title: string
  testPath: string
  testFileExists: boolean
  unreachable: boolean
  smoke: Smoke | undefined
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
      : [marked('A skeleton: it fails until completed.'), 'Based on names only: adjust the call to the signature.']),
    `Covers ${candidate ? `${title} in ${place}` : place}.`,
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
