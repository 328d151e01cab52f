import type { AiTarget, TestType } from '../../core/ai/schema.ts'
import type { RepositoryMaterial } from '../prompts/material.ts'
import type { Facts } from '../repository/facts.ts'
import { freePathFor } from '../../engines/test-names/free-path.ts'
import { findCandidate, isAvoided, isPlaceForTest, knownPaths, targetOf } from '../repository/known-places.ts'
import { codeLines, oneLine } from '../repository/safe-text.ts'
import type { GeneratedTest, GenerateTestsResponse } from '../schema.ts'
import type { Redact } from '../secrets.ts'
import type { GenerateAnswer, TestAnswer } from './answers.ts'
import { chosenCases } from './check-suggestions.ts'

const maxProse = 500
const maxCases = 50
/** The maximum that core stores. Truncated code would not be a test. */
const maxCode = 262_144

export interface Checking extends RepositoryMaterial {
  facts: Facts
  testType: TestType | undefined
  targets: readonly AiTarget[]
  count: number
  redact: Redact
  durationMs: number
}

/** Keeps the tests that can be added to the repository safely as new files. */
export function checkTests(answer: GenerateAnswer, checking: Checking): GenerateTestsResponse {
  const taken = knownPaths(checking.facts, [...(checking.sources ?? []), ...(checking.style_examples ?? [])])
  const warnings: string[] = []
  let foreign = 0
  const kept: { test: GeneratedTest; testType: TestType }[] = []
  for (const written of answer.tests) {
    if (kept.length === checking.count) break
    const testType = checking.testType ?? written.test_type
    const target = targetFor(written, checking)
    const about = { path: target?.path ?? '', symbol: target?.symbol, testType }
    const file = isPlaceForTest(written.file, checking.facts.testing)
      ? freePathFor(target?.symbol, written.file, (path) => taken.has(path))
      : undefined
    if (written.code.trim() === '' || written.code.length > maxCode) {
      warnings.push('A test was dropped because it is empty or larger than 256 KiB.')
    } else if (file === undefined) {
      warnings.push(
        `A test was dropped because ${oneLine(checking.redact(written.file), 200)} is not a valid path for a new test.`,
      )
    } else if (checking.targets.length === 0 && isAvoided(checking.avoid, about)) {
      warnings.push('A test was dropped because it repeats a test to avoid.')
    } else {
      taken.add(file)
      const cases = chosenCases(written, target && findCandidate(checking.facts, target.path, target.symbol))
      foreign += new Set(written.case_ids).size - cases.length
      kept.push({ testType, test: toTest(written, { file, target, cases, redact: checking.redact }) })
    }
  }
  if (foreign > 0) warnings.push(`${foreign} case ids were dropped because their target has no such open case.`)
  return assemble(kept, checking, warnings)
}

function targetFor(written: TestAnswer, { facts, targets }: Checking): AiTarget | undefined {
  const [only] = targets
  if (targets.length === 1) return only
  const candidate = findCandidate(facts, written.target_path, written.target_symbol)
  if (candidate) return targetOf(candidate)
  return targets.find(({ path }) => path === written.target_path)
}

function toTest(
  written: TestAnswer,
  { file, target, cases, redact }: { file: string; target: AiTarget | undefined; cases: string[]; redact: Redact },
): GeneratedTest {
  const framework = oneLine(written.framework, 100)
  return {
    name: oneLine(redact(written.name), maxProse),
    file,
    code: codeLines(redact(written.code)),
    coverage: oneLine(redact(written.covers), maxProse),
    ...(framework !== '' && { framework }),
    ...(target !== undefined && { target }),
    ...(cases.length > 0 && { case_ids: cases.slice(0, maxCases) }),
  }
}

function assemble(
  kept: readonly { test: GeneratedTest; testType: TestType }[],
  { facts, durationMs }: Checking,
  warnings: string[],
): GenerateTestsResponse {
  const ofType = (wanted: TestType) => kept.filter(({ testType }) => testType === wanted).map(({ test }) => test)
  const about = new Set(kept.map(({ test }) => JSON.stringify([test.target?.path, test.target?.symbol]))).size
  const total = Math.max(facts.candidateCount, about)
  return {
    tests: { unit_tests: ofType('unit'), integration_tests: ofType('integration'), e2e_tests: ofType('e2e') },
    coverage_estimate: total === 0 ? 0 : Math.round((1_000 * about) / total) / 10,
    test_count: kept.length,
    execution_time: `${durationMs}ms`,
    warnings,
  }
}
