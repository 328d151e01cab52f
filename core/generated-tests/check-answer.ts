import type { AiGeneratedTest, AiGenerateResponse, TestType } from '../ai/schema.ts'
import { shown, storable } from '../base/repository-path.ts'
import type { VerificationTarget } from '../../engines/verdicts/schema.ts'
import { isFramework } from './framework.ts'
import type { Places } from './test-place.ts'

/** A test as it may be stored. */
export interface CheckedTest {
  /** Where it may lie; there may be another test already. */
  filePath: string
  code: string
  testType: TestType
  framework: string | null
  description: string
  target: VerificationTarget
}

export interface CheckedAnswer {
  tests: CheckedTest[]
  /** How many there are in the answer. */
  written: number
  /** What was left out, and why. */
  warnings: string[]
}

interface Wanted {
  target: VerificationTarget
  /** A part of the target's file by its name; undefined where the analysis knows none such. */
  partOf: (symbol: string) => VerificationTarget | undefined
  count: number
  framework: string | null
}

/** As much as `tests.verify` takes. */
const longestCode = 256 * 1_024
const longestDescription = 2_000
const longestFramework = 100
/** Of an answer with more, the rest is not even looked at. */
const mostLookedAt = 50

/** Takes out of an answer what can become a file of the repository, in a place where the project's runner looks. */
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
  for (const { test, testType } of typed.slice(0, mostLookedAt)) {
    if (checked.tests.length === wanted.count) break
    const outcome = check(test, testType, places, wanted)
    if (typeof outcome === 'string') {
      checked.warnings.push(`A test was left out: ${outcome}.`)
      continue
    }
    checked.tests.push(outcome)
    const { filePath, framework } = outcome
    if (wanted.framework !== null && framework !== null && !isFramework(framework, wanted.framework)) {
      checked.warnings.push(
        `${JSON.stringify(shown(filePath))} is written for ${framework}, not for ${wanted.framework}.`,
      )
    }
  }
  return checked
}

const ofType = (testType: TestType, tests: readonly AiGeneratedTest[] = []) => tests.map((test) => ({ test, testType }))

/** @returns why it is left out, where it is */
function check(
  { file, code, name, coverage, framework, target }: AiGeneratedTest,
  testType: TestType,
  places: Places,
  wanted: Wanted,
): CheckedTest | string {
  const refusal = places.refusal(file)
  if (refusal !== null) return refusal
  const of = JSON.stringify(shown(file))
  if (target && target.path !== wanted.target.path) return `${of} is about ${JSON.stringify(shown(target.path))}`
  if (code.trim() === '') return `${of} is empty`
  if (code.length > longestCode) return `${of} has more than ${longestCode / 1_024} KiB`
  if (code.includes('\0') || !code.isWellFormed()) return `${of} is no text`
  return {
    filePath: file,
    code,
    testType,
    framework: shown(framework ?? '', longestFramework) || wanted.framework,
    description: storable(
      shown(coverage, longestDescription) || shown(name, longestDescription),
      longestDescription + 1,
    ),
    target: targetOf(target, wanted),
  }
}

/** Where tests are wanted for a whole file, each may be about a part of it. */
function targetOf(given: AiGeneratedTest['target'], { target, partOf }: Wanted): VerificationTarget {
  const part = target.symbol === undefined && given?.symbol !== undefined ? partOf(given.symbol) : undefined
  return part ?? target
}
