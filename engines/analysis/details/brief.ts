import type { SymbolDeclaration } from '../../parsing/description/types.ts'
import { quoted } from '../../test-plan/command-line.ts'
import { commandForFile } from '../../test-plan/describe-testing.ts'
import { type TestedProject, type TestHome, testHomeFor } from '../../test-plan/test-home.ts'
import { testsNear } from '../../test-names/test-place.ts'
import type { TestBrief, TestCandidate } from '../schema.ts'
import type { Callers } from '../ranking/callers.ts'
import { importOf } from './import-line.ts'
import type { NearestTests } from './nearest-test.ts'
import type { TestedFiles } from './tested-files.ts'

/** Where the test of a candidate goes, and the tests that show how it is written. */
export interface BriefPlace {
  home: TestHome
  /** Whether the home is a test that calls the symbol. */
  isCalling: boolean
  /** Best first. */
  styleTests: readonly string[]
}

const maxStyleTests = 3

/**
 * Decides the place of a test before the tests nearby are read.
 *
 * @param callers - the tests that call the symbol, best first
 */
export function briefPlace(candidate: TestCandidate, callers: Callers, project: TestedProject): BriefPlace {
  const { path, language, nearestTests = [] } = candidate
  const subject = { path, language, testType: 'unit' as const, nearestTests }
  const usual = callers.certainty === 'certain' ? undefined : testHomeFor(subject, project)
  const home = usual?.exists ? usual : testHomeFor({ ...subject, callingTests: callers.tests }, project)
  const near = nearestTests.length > 0 ? nearestTests : testsNear(home.path, { path, language }, project.layout)
  const own = home.exists && home.path !== path ? [home.path] : []
  const isCalling = own.length > 0 && callers.tests.includes(home.path)
  return { home, isCalling, styleTests: [...new Set([...own, ...near])].slice(0, maxStyleTests) }
}

/** Writes what the author of a test needs to know. Every text is cut to a length that leaves the brief short. */
export function briefOf(
  candidate: TestCandidate,
  { home, isCalling, styleTests }: BriefPlace,
  declaration: SymbolDeclaration | undefined,
  files: TestedFiles,
  nearestTests: NearestTests,
): TestBrief {
  const { path, symbol } = candidate.through ?? candidate
  const command = home.part && commandForFile(home.part, home.path)
  const directory = home.part?.directory ?? ''
  const importLine = importOf(
    {
      path,
      root: rootOf(symbol),
      isDefault: declaration?.isDefault === true,
      isExported: candidate.through !== undefined || candidate.exported !== false,
      kind: candidate.kind === 'class' || candidate.kind === 'method' ? candidate.kind : 'function',
      testPath: home.path,
      framework: home.framework,
      styleTests,
    },
    candidate.language,
    files,
  )
  const nearest = (isCalling ? home.path : candidate.nearestTests?.[0]) ?? styleTests[0]
  const { signature, parameters, construct } = declaration ?? {}
  return {
    framework: frameworkOf(home),
    testFile: { path: home.path, exists: home.exists },
    ...(command !== undefined && {
      command: directory === '' ? command : `${quoted(['cd', directory])} && ${command}`,
    }),
    ...(importLine !== undefined && { import: importLine }),
    ...(signature !== undefined && { signature }),
    ...(parameters && parameters.length > 0 && { parameters: parameters.slice(0, maxParameters) }),
    ...(construct !== undefined && { construct }),
    ...(nearest !== undefined && { nearestTest: nearestTests.describe(nearest, symbol) }),
  }
}

const maxParameters = 10

/** The outermost name of a symbol in its file: `Queue` for `Queue.add`. */
const rootOf = (symbol: string) => symbol.split('.', 1)[0] ?? symbol

function frameworkOf({ framework, isKnown, part }: TestHome): string {
  if (framework === 'outline') return part?.framework ?? 'unknown'
  return !isKnown && part?.framework === 'unknown' ? 'unknown' : framework
}
