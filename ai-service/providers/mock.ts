import type { Suggestion, TestType } from '../../core/ai/schema.ts'
import type { GeneratedTest, GenerateTestsResponse } from '../schema.ts'
import { advise } from './mock/advise.ts'
import { coverageOf, describe, justify, summarize } from './mock/explain.ts'
import { titleOfCase } from '../repository/case-words.ts'
import { readFacts } from '../repository/facts.ts'
import { marked } from './mock/marker.ts'
import { type Plan, type PlannedTest, planTests } from './mock/plan.ts'
import { targetOf } from '../repository/known-places.ts'
import { oneLine } from '../repository/safe-text.ts'
import type { Targets } from './mock/targets.ts'
import type { Provider } from './provider.ts'

const defaultLimit = 10

/**
 * Answers without a model, only from the analysis: the same input gives the same bytes. Its texts begin with
 * `[MOCK RESPONSE]` and name real files, symbols and lines.
 */
export function createMockProvider(): Provider {
  return {
    name: 'mock',

    async suggestTests(analysis, { maxSuggestions, avoid, signal }) {
      signal.throwIfAborted()
      const facts = readFacts(analysis)
      const plan = planTests(facts, { limit: maxSuggestions, avoid })
      return {
        summary: summarize(plan, facts),
        suggestions: plan.tests.map((test) =>
          toSuggestion(test, plan.targets, avoid !== undefined && avoid.length > 0),
        ),
      }
    },

    async generateTests(codeAnalysis, { signal, count, ...wishes }) {
      signal.throwIfAborted()
      return toGenerated(planTests(readFacts(codeAnalysis), { ...wishes, limit: count ?? defaultLimit }))
    },

    async analyze(request, { signal }) {
      signal.throwIfAborted()
      return advise(request)
    },
  }
}

function toSuggestion(test: PlannedTest, targets: Targets, isRemainder: boolean): Suggestion {
  const { candidate, path } = test.target
  return {
    file_path: path,
    test_type: test.testType,
    description: describe(test),
    rationale: justify(test, targets, isRemainder),
    example_code: test.code,
    ...(candidate?.startLine !== undefined && {
      target: {
        symbol: oneLine(candidate.symbol, 500),
        startLine: candidate.startLine,
        endLine: Math.max(candidate.startLine, candidate.endLine ?? 0),
      },
    }),
    ...(test.cases.length > 0 && { case_ids: test.cases.map(({ id }) => id) }),
  }
}

function toGenerated({ tests, targets }: Plan): GenerateTestsResponse {
  const ofType = (testType: TestType) => tests.filter((test) => test.testType === testType).map(toGeneratedTest)
  return {
    tests: {
      unit_tests: ofType('unit'),
      integration_tests: ofType('integration'),
      e2e_tests: ofType('e2e'),
    },
    coverage_estimate: targets.total === 0 ? 0 : Math.round((1_000 * tests.length) / targets.total) / 10,
    test_count: tests.length,
    // A measured time would differ from call to call.
    execution_time: '0ms',
  }
}

/** The subject and the first case, or what the test does without one. */
function nameOf({ title, cases: [first], target, isSmoke }: PlannedTest): string {
  if (isSmoke) return `${title} can be loaded`
  return first ? `${title} ${oneLine(titleOfCase(first, target.language), 200)}` : title
}

const toGeneratedTest = (test: PlannedTest): GeneratedTest => ({
  ...(test.cases.length > 0 && { case_ids: test.cases.map(({ id }) => id) }),
  name: marked(nameOf(test)),
  file: test.testPath,
  code: test.code,
  coverage: coverageOf(test),
  framework: test.framework,
  target: test.target.candidate ? targetOf(test.target.candidate) : { path: test.target.path },
})
