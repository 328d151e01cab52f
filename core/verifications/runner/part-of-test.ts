import type { PlanPart, RunPlan } from '../../../engines/test-plan/plan.ts'
import type { TestFile } from '../../../engines/verdicts/outcome.ts'

/** What a test says of the framework that it is written for, by the names that frameworks have in a plan. */
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
  pytest: /^\s*(?:import pytest|from pytest\b)|^(?:async )?def test_/m,
  unittest: /\bunittest\b/,
  rspec: /\bRSpec\b|^\s*describe\b/m,
  minitest: /Minitest|ActiveSupport::TestCase/,
}

/**
 * The part that runs the test: of those in whose folder it lies the deepest, of several there the one that it is
 * written for. Null where no part is of its language, and none is the owner's own command.
 */
export function partOfTest(plan: RunPlan, test: TestFile): PlanPart | null {
  const around = plan.parts.filter((part) => isWithin(test.path, part.directory) && mayRun(part, test.path))
  const deepest = Math.max(...around.map(({ directory }) => directory.length))
  const there = around.filter(({ directory }) => directory.length === deepest)
  const [first = null] = there
  if (there.length < 2) return first
  return there.find(({ framework }) => signs[framework ?? '']?.test(test.code)) ?? first
}

const endings: Readonly<Record<string, RegExp>> = {
  javascript: /\.[cm]?[jt]sx?$/,
  python: /\.py$/,
  go: /\.go$/,
  rust: /\.rs$/,
  maven: /\.(?:java|kt|groovy|scala)$/,
  gradle: /\.(?:java|kt|groovy|scala)$/,
  ruby: /\.rb$/,
  php: /\.php$/,
  csharp: /\.(?:cs|fs|vb)$/,
}

/** Whatever the owner's own command runs is not known. */
const mayRun = ({ ecosystem, framework }: PlanPart, path: string) =>
  framework === null || (endings[ecosystem]?.test(path) ?? true)

const isWithin = (path: string, directory: string) => directory === '' || path.startsWith(`${directory}/`)
