import { z } from 'zod'
import { PastResult, type TestHistory } from '../../../core/test-runs/results/schema.ts'
import { ListRuns } from '../../../core/test-runs/schema.ts'
import { Label, testName } from '../../answers/failure-facts.ts'
import { dataNotice, Page, pageFrom } from '../../answers/output.ts'
import { Branch, ShortCommit } from '../../answers/run-facts.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import { defineTool, Id, requireEither } from '../tool.ts'

const TestFact = z.object({ testId: z.string(), test: Label, file: maybe(Label) })

const PastFact = PastResult.pick({ runId: true, status: true, createdAt: true }).extend({
  branch: maybe(Branch),
  commit: maybe(ShortCommit),
  flaky: z.literal(true).optional(),
  milliseconds: maybe(z.number()),
  message: maybe(untrusted.line(160)),
})

const Output = z.object({
  test: TestFact.optional(),
  /** The page for people. */
  url: z.string().optional(),
  totals: z.object({ runs: z.int(), passed: z.int(), failed: z.int(), skipped: z.int(), flaky: z.int() }).optional(),
  /** The first of the latest failures in a row. */
  failingSince: maybe(
    z.object({ runId: z.string(), commit: maybe(ShortCommit), createdAt: z.string(), runs: z.int() }),
  ),
  results: z.array(PastFact).optional(),
  /** The tests that a search found, where it found several. */
  tests: z.array(TestFact.extend({ status: PastResult.shape.status })).optional(),
  ...Page.shape,
  note: z.string(),
  next: z.string().optional(),
})
type Output = z.infer<typeof Output>

const defaultLimit = 10

export const getTestHistory = defineTool({
  name: 'get_test_history',
  title: 'History of a test',
  description:
    'Returns the results of one test in each run: since when it fails, how often it is flaky. Where search finds several ' +
    'tests, lists them with testId.',
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    projectId: Id,
    search: z.string().max(200).optional().describe('Part of name or file'),
    testId: Id.optional(),
    branch: ListRuns.shape.branch,
    limit: z.int().min(1).max(100).optional(),
    offset: z.int().min(0).optional(),
  }),
  outputSchema: Output,
  namesAmount: ({ limit }) => limit !== undefined,
  run: async ({ limit = defaultLimit, ...input }, call) => {
    requireEither(input, 'search', 'testId')
    return factsOf(await call.core.testRuns.history.query({ ...input, limit }))
  },
})

function factsOf(history: TestHistory): z.input<typeof Output> {
  const { pagination } = history
  if (history.kind === 'tests') {
    const tests = history.tests.map((test) => ({ ...test, test: testName(test) }))
    const next =
      pagination.total === 0
        ? 'Search for a shorter part of the name; get_run_failures shows the names of failed tests.'
        : 'Call get_test_history again with one testId.'
    return { tests, ...pageFrom(pagination, tests), note: dataNotice, next }
  }
  const { test, url, results, totals, since } = history
  return {
    test: { ...test, test: testName(test) },
    url,
    totals,
    failingSince: since && { ...since, commit: since.commitSha },
    results: results.map(({ commitSha, flaky, durationMs, ...result }) => ({
      ...result,
      commit: commitSha,
      flaky: flaky || undefined,
      milliseconds: durationMs === null ? null : Math.round(durationMs),
    })),
    ...pageFrom(pagination, results),
    note: dataNotice,
    ...(since ? {} : { next: 'The test does not fail at present.' }),
  }
}
