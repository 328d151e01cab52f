import type { AiGeneratedTest, AiGenerateResponse, TestType } from '../ai/schema.ts'
import { shown, storable } from '../base/repository-path.ts'
import type { VerificationTarget } from '../../engines/verdicts/schema.ts'
import { factsFor } from '../suggestions/candidate-facts.ts'
import type { TestCandidate } from '../../engines/analysis/schema.ts'
import { isFramework } from './framework.ts'
import type { Places } from './test-place.ts'

/** A test that can be stored. */
export interface CheckedTest {
  /** A valid path, which another test may have already. */
  filePath: string
  code: string
  testType: TestType
  framework: string | null
  description: string
  target: VerificationTarget
  /** The open cases of the target that it covers, as the AI service says; null if it names none. */
  caseIds: string[] | null
}

export interface CheckedAnswer {
  tests: CheckedTest[]
  /** The number of tests in the answer. */
  written: number
  /** The omitted tests, each with its reason. */
  warnings: string[]
}

interface Wanted {
  target: VerificationTarget
  /** Finds a symbol of the target's file; undefined if the analysis did not rank it. */
  partOf: (symbol: string) => VerificationTarget | undefined
  candidateOf: (target: VerificationTarget) => TestCandidate | undefined
  count: number
  framework: string | null
}

/** The limit of `tests.verify`. */
const maxCodeLength = 256 * 1_024
const maxDescriptionLength = 2_000
const maxFrameworkLength = 100
/** Further tests of an answer are ignored. */
const maxChecked = 50

/** Keeps the tests that can become a file of the repository where the project's test runner finds it. */
export function checkAnswer(
  { tests: given, warnings = [] }: AiGenerateResponse,
  places: Places,
  wanted: Wanted,
): CheckedAnswer {
  const typed = [
    ...ofType('unit', given.unit_tests),
    ...ofType('integration', given.integration_tests),
    ...ofType('e2e', given.e2e_tests),
  ]
  const checked: CheckedAnswer = {
    tests: [],
    written: typed.length,
    warnings: warnings.slice(0, 10).map((text) => shown(text, 500)),
  }
  for (const { test, testType } of typed.slice(0, maxChecked)) {
    if (checked.tests.length === wanted.count) break
    const outcome = check(test, testType, places, wanted)
    if (typeof outcome === 'string') {
      checked.warnings.push(`A test was omitted: ${outcome}.`)
      continue
    }
    checked.tests.push(outcome)
    const { filePath, framework } = outcome
    if (wanted.framework !== null && framework !== null && !isFramework(framework, wanted.framework)) {
      checked.warnings.push(`${JSON.stringify(shown(filePath))} uses ${framework} instead of ${wanted.framework}.`)
    }
  }
  return checked
}

const ofType = (testType: TestType, tests: readonly AiGeneratedTest[] = []) => tests.map((test) => ({ test, testType }))

/** @returns the test, or the reason to omit it */
function check(
  { file, code, name, coverage, framework, target, case_ids }: AiGeneratedTest,
  testType: TestType,
  places: Places,
  wanted: Wanted,
): CheckedTest | string {
  const refusal = places.refusal(file)
  if (refusal !== null) return refusal
  const of = JSON.stringify(shown(file))
  if (target && target.path !== wanted.target.path)
    return `${of} tests ${JSON.stringify(shown(target.path))} instead of the target`
  if (code.trim() === '') return `${of} is empty`
  if (code.length > maxCodeLength) return `${of} has more than ${maxCodeLength / 1_024} KiB`
  if (code.includes('\0') || !code.isWellFormed()) return `${of} is not valid text`
  const tested = targetOf(target, wanted)
  return {
    filePath: file,
    code,
    testType,
    framework: shown(framework ?? '', maxFrameworkLength) || wanted.framework,
    description: storable(
      shown(coverage, maxDescriptionLength) || shown(name, maxDescriptionLength),
      maxDescriptionLength + 1,
    ),
    target: tested,
    caseIds: factsFor(wanted.candidateOf(tested), case_ids).case_ids ?? null,
  }
}

/** A test for a whole file may target one symbol of it. */
function targetOf(given: AiGeneratedTest['target'], { target, partOf }: Wanted): VerificationTarget {
  const part = target.symbol === undefined && given?.symbol !== undefined ? partOf(given.symbol) : undefined
  return part ?? target
}
