import { mayRun } from '../../../engines/test-plan/file-endings.ts'
import type { PlanPart, RunPlan } from '../../../engines/test-plan/plan.ts'
import type { TestFile } from '../../../engines/verdicts/outcome.ts'
import { isWithin } from '../../../engines/test-names/paths.ts'

/** Text in a test that shows its framework, by the names of frameworks in a plan. */
const signs: Readonly<Record<string, RegExp>> = {
  vitest: /['"]vitest['"]/,
  jest: /['"]@jest\/globals['"]|\bjest\.\w+\(/,
  'node:test': /['"]node:test['"]/,
  borp: /['"]node:test['"]/,
  ava: /['"]ava['"]/,
  tape: /['"]tape['"]/,
  tap: /['"](?:tap|@tapjs\/\w+)['"]/,
  playwright: /['"]@playwright\/test['"]/,
  mocha: /['"](?:mocha|chai|sinon)['"]/,
  pytest: /^[ \t]*(?:import pytest|from pytest\b)|^(?:async )?def test_/m,
  unittest: /\bunittest\b/,
  rspec: /\bRSpec\b|^[ \t]*describe\b/m,
  minitest: /Minitest|ActiveSupport::TestCase/,
  'test-unit': /\bTest::Unit\b/,
}

/**
 * Finds the part that runs the test: the part with the deepest folder around the test, or if there are several, the part
 * with the framework of the test. Returns null if no part fits its language and none has a custom command.
 */
export function partOfTest(plan: RunPlan, test: TestFile): PlanPart | null {
  const around = plan.parts.filter((part) => isWithin(test.path, part.directory) && mayRun(part, test.path))
  const deepest = Math.max(...around.map(({ directory }) => directory.length))
  const there = around.filter(({ directory }) => directory.length === deepest)
  const [first = null] = there
  if (there.length < 2) return first
  return there.find(({ framework }) => signs[framework ?? '']?.test(test.code)) ?? first
}
