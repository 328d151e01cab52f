import { z } from 'zod'
import { type ListResults, ReportedStatus, type ResultsPage, TestResult } from '../../../core/test-runs/schema.ts'
import { cleanText, fence, shorten } from '../../../client/sanitize.ts'
import {
  FailureFacts,
  failureFacts,
  keepGroups,
  placeFact,
  renderFailures,
  testName,
} from '../../answers/failure-facts.ts'
import { cutPage, dataNotice, Page, renderPageEnd } from '../../answers/output.ts'
import { runFact } from '../../answers/run-facts.ts'
import { type Call, defineTool, Id } from '../tool.ts'

const FailedTest = TestResult.pick({ testId: true }).extend({
  test: z.string(),
  file: z.string().optional(),
  /** Message and stack as they were reported. */
  output: z.string(),
})
type FailedTest = z.infer<typeof FailedTest>

const Output = z.object({
  runId: z.string(),
  status: ReportedStatus,
  error: z.string().optional(),
  failures: FailureFacts.optional(),
  tests: z.array(FailedTest).optional(),
  ...Page.partial().shape,
  note: z.string(),
  next: z.string().optional(),
})
type Output = z.infer<typeof Output>

/** What is over the budget is cut here: so core looks at more than is shown. */
const digestCharacters = 12_000
const longestOutput = 4_000
const pageSize = 5

export const getRunFailures = defineTool({
  name: 'get_run_failures',
  title: 'What failed, and where',
  description:
    'What failed in a run, by cause: message, file and line, since when, flaky, what was fixed, re-run command. ' +
    'With search or offset test by test: whole message and stack.',
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    runId: Id,
    search: z.string().max(200).optional().describe('Part of name or file'),
    offset: z.int().min(0).optional(),
  }),
  outputSchema: Output,
  run: async ({ runId, search, offset }, call) => {
    if (search !== undefined || offset !== undefined) return testByTest({ runId, search, offset }, call)
    const [run, digest] = await Promise.all([
      call.core.testRuns.get.query({ runId }),
      call.core.testRuns.failures.query({ runId, maxCharacters: digestCharacters }),
    ])
    const { status, error } = runFact(run)
    return { runId, status, error, failures: failureFacts(digest), note: dataNotice, ...nextStep(runId, status) }
  },
  render: ({ runId, status, error, failures, tests, note, next, ...page }) =>
    [
      `Run ${runId}: ${status}. ${tests ? shown(tests, page) : failed(failures)}.`,
      ...(error === undefined ? [] : [`Error: ${error}`]),
      note,
      ...(failures ? renderFailures(runId, failures) : []),
      ...(tests ?? []).flatMap(({ testId, test, file, output }, index) => [
        `${(page.offset ?? 0) + index + 1}. ${test}${file === undefined ? '' : ` — ${file}`} (testId ${testId})`,
        fence(output),
      ]),
      ...renderPageEnd(page),
      ...(next ? [next] : []),
    ].join('\n'),
  list: {
    count: ({ tests, failures }) => tests?.length ?? failures?.groups.length ?? 0,
    keep: (facts, count) => {
      const { tests, failures, total = 0, offset = 0, nextOffset } = facts
      if (failures) return { ...facts, failures: keepGroups(failures, count) }
      if (!tests) return facts
      const { items, page } = cutPage(tests, { total, offset, nextOffset }, count)
      return { ...facts, tests: items, ...page }
    },
  },
})

function nextStep(runId: string, status: Output['status']): Pick<Output, 'next'> {
  if (status === 'PENDING' || status === 'RUNNING') return { next: `Call wait_for_run with runId ${runId} first.` }
  if (status === 'ERROR') return { next: `get_run_log with runId ${runId} has the whole log.` }
  return status === 'FAILED' ? { next: 'With search it has the whole message and stack of a test.' } : {}
}

const failed = (failures: FailureFacts | undefined) =>
  `${(failures?.newFailures ?? 0) + (failures?.stillFailing ?? 0)} tests failed`

function shown(tests: readonly FailedTest[], { total = 0, offset = 0 }: Partial<Page>): string {
  return tests.length === 0
    ? `None of ${total} failed tests`
    : `Failed tests ${offset + 1}-${offset + tests.length} of ${total}`
}

async function testByTest(
  { runId, search, offset = 0 }: Pick<z.input<typeof ListResults>, 'runId' | 'search' | 'offset'>,
  { core }: Call,
): Promise<Output> {
  const [run, { results, pagination }] = await Promise.all([
    core.testRuns.get.query({ runId }),
    core.testRuns.results.query({ runId, status: 'failed', search, offset, limit: pageSize }),
  ])
  const end = offset + results.length
  return {
    runId,
    status: runFact(run).status,
    tests: results.map(failedTest),
    total: pagination.total,
    offset,
    nextOffset: end < pagination.total ? end : undefined,
    note: dataNotice,
    ...(pagination.total === 0 ? { next: `Call get_run_failures with runId ${runId} alone for all that failed.` } : {}),
  }
}

function failedTest({ testId, message, stack, ...test }: ResultsPage['results'][number]): FailedTest {
  // Many runners begin the stack with the message.
  const parts = message !== null && stack?.includes(message) ? [stack] : [message, stack]
  const output = parts.filter((part) => part !== null).join('\n')
  return {
    testId,
    test: testName(test),
    file: test.file === null ? undefined : placeFact(test.file, test.line),
    output: shorten(cleanText(output), longestOutput) || '(no message)',
  }
}
