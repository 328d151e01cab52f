import { z } from 'zod'
import { ListRuns } from '../../../core/test-runs/schema.ts'
import { PastResult, type TestHistory } from '../../../core/test-runs/results/schema.ts'
import { cleanLine, shorten } from '../../../client/sanitize.ts'
import { UserError } from '../../../client/user-error.ts'
import { nameFact, testName } from '../../answers/failure-facts.ts'
import { cutPage, dataNotice, Page, renderPageEnd } from '../../answers/output.ts'
import { branchFact, shortCommit } from '../../answers/run-facts.ts'
import { defineTool, Id } from '../tool.ts'

const TestFact = z.object({ testId: z.string(), test: z.string(), file: z.string().optional() })
const Status = PastResult.shape.status

const PastFact = PastResult.pick({ runId: true, status: true, createdAt: true }).extend({
  branch: z.string().optional(),
  commit: z.string().optional(),
  flaky: z.literal(true).optional(),
  milliseconds: z.number().optional(),
  message: z.string().optional(),
})
type PastFact = z.infer<typeof PastFact>

const Output = z.object({
  test: TestFact.optional(),
  totals: z.object({ runs: z.int(), passed: z.int(), failed: z.int(), skipped: z.int(), flaky: z.int() }).optional(),
  /** The first of the failures in a row that it ends with. */
  failingSince: z
    .object({ runId: z.string(), commit: z.string().optional(), createdAt: z.string(), runs: z.int() })
    .optional(),
  results: z.array(PastFact).optional(),
  /** What a search found, if not one test alone. */
  tests: z.array(TestFact.extend({ status: Status })).optional(),
  ...Page.shape,
  note: z.string(),
  next: z.string().optional(),
})
type Output = z.infer<typeof Output>

const defaultLimit = 10
const longestMessage = 160

export const getTestHistory = defineTool({
  name: 'get_test_history',
  title: 'History of a test',
  description:
    'What became of one test in each run: since when it fails, how often it is flaky. Where search finds several, ' +
    'lists them with testId.',
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
  asked: ({ limit }) => limit !== undefined,
  run: async ({ limit = defaultLimit, ...input }, call) => {
    if ((input.testId === undefined) === (input.search === undefined)) {
      throw new UserError('get_test_history was not run: give either search or testId.')
    }
    return factsOf(await call.core.testRuns.history.query({ ...input, limit }))
  },
  render: ({ test, totals, failingSince, results, tests, note, next, ...page }) =>
    [
      ...(test && totals ? renderHead(test, totals, failingSince) : [`${page.total} tests match.`]),
      note,
      ...(results ?? []).map(renderPast),
      ...(tests ?? []).map(({ status, ...each }) => `${each.testId} | ${renderTest(each)} | ${status}`),
      ...renderPageEnd(page),
      ...(next ? [next] : []),
    ].join('\n'),
  list: {
    count: ({ results, tests }) => (results ?? tests ?? []).length,
    keep: ({ results, tests, total, offset, nextOffset, ...facts }, count) => {
      const { page } = cutPage<unknown>(results ?? tests ?? [], { total, offset, nextOffset }, count)
      return { ...facts, results: results?.slice(0, count), tests: tests?.slice(0, count), ...page }
    },
  },
})

function factsOf(history: TestHistory): Output {
  const { total, offset } = history.pagination
  const page = (shown: number) => ({
    total,
    offset,
    nextOffset: offset + shown < total ? offset + shown : undefined,
    note: dataNotice,
  })
  if (history.kind === 'tests') {
    const tests = history.tests.map(({ status, ...test }) => ({ ...testFact(test), status }))
    const next =
      total === 0
        ? 'Search for less of the name; get_run_failures shows the names of what failed.'
        : 'Call get_test_history again with one testId.'
    return { tests, ...page(tests.length), next }
  }
  const { test, results, totals, since } = history
  return {
    test: testFact(test),
    totals,
    failingSince: since
      ? { runId: since.runId, commit: shortCommit(since.commitSha), createdAt: since.createdAt, runs: since.runs }
      : undefined,
    results: results.map(pastFact),
    ...page(results.length),
  }
}

const testFact = ({
  testId,
  suite,
  name,
  file,
}: {
  testId: string
  suite: string
  name: string
  file: string | null
}) => ({
  testId,
  test: testName({ suite, name }),
  file: file === null ? undefined : nameFact(file),
})

function pastFact({ runId, status, branch, commitSha, flaky, durationMs, message, createdAt }: PastResult): PastFact {
  return {
    runId,
    status,
    branch: branchFact(branch),
    commit: shortCommit(commitSha),
    ...(flaky ? { flaky } : {}),
    milliseconds: durationMs === null ? undefined : Math.round(durationMs),
    message: message === null ? undefined : shorten(cleanLine(message), longestMessage),
    createdAt,
  }
}

const renderTest = ({ test, file }: { test: string; file?: string | undefined }) =>
  file === undefined ? test : `${test} — ${file}`

function renderHead(
  test: z.infer<typeof TestFact>,
  { runs, passed, failed, skipped, flaky }: NonNullable<Output['totals']>,
  since: Output['failingSince'],
): string[] {
  const commit = since?.commit === undefined ? '' : ` @ ${since.commit}`
  return [
    `${renderTest(test)} (testId ${test.testId}): ` +
      `${runs} ${runs === 1 ? 'run' : 'runs'}, ${passed} passed, ${failed} failed, ${skipped} skipped, ${flaky} flaky.`,
    since
      ? `Fails since run ${since.runId}${commit} of ${since.createdAt}, ${since.runs} in a row.`
      : 'It does not fail at present.',
  ]
}

function renderPast({ runId, status, branch, commit, flaky, milliseconds, message, createdAt }: PastFact): string {
  const at = [branch, commit && `@ ${commit}`].filter(Boolean).join(' ')
  const took = milliseconds === undefined ? undefined : `${milliseconds} ms`
  return [runId, flaky ? `${status}, flaky` : status, at, took, createdAt, message].filter(Boolean).join(' | ')
}
