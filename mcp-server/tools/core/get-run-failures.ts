import { z } from 'zod'
import { type ListResults, type ResultsPage, TestResult } from '../../../core/test-runs/results/schema.ts'
import { ReportedStatus } from '../../../core/test-runs/schema.ts'
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
import type { CoreClient } from '../../../client/core-client.ts'
import { UserError } from '../../../client/user-error.ts'
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
  /** Of a project whose latest run is green. */
  lastRed: z.object({ runId: z.string(), status: ReportedStatus, createdAt: z.string() }).optional(),
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
    'What failed in a run, or the latest that ended of a project, by cause: message, file and line, since when, flaky, what was fixed, re-run command. ' +
    'With search or offset test by test: whole message and stack.',
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    runId: Id.optional(),
    projectId: Id.optional(),
    search: z.string().max(200).optional().describe('Part of name or file'),
    offset: z.int().min(0).optional(),
  }),
  outputSchema: Output,
  run: async ({ runId: given, projectId, search, offset }, call) => {
    if ((given === undefined) === (projectId === undefined)) {
      throw new UserError('get_run_failures was not run: give either runId, or projectId for its latest run.')
    }
    const { runId, lastRed } = given === undefined ? await latestEnded(projectId ?? '', call.core) : { runId: given }
    if (search !== undefined || offset !== undefined) return testByTest({ runId, search, offset }, call)
    const [run, digest] = await Promise.all([
      call.core.testRuns.get.query({ runId }),
      call.core.testRuns.failures.query({ runId, maxCharacters: digestCharacters }),
    ])
    const { status, error } = runFact(run)
    const failures = failureFacts(digest)
    return { runId, status, error, failures, lastRed, note: dataNotice, ...nextStep(runId, status, lastRed) }
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

/** The latest run of a project that came to a verdict or broke; where it is green, the last one that is not. */
async function latestEnded(projectId: string, core: CoreClient): Promise<Pick<Output, 'runId' | 'lastRed'>> {
  const latest = async (status: 'PASSED' | 'FAILED' | 'ERROR') =>
    (await core.testRuns.list.query({ projectId, status, limit: 1 })).runs
  const [green, ...red] = await Promise.all([latest('PASSED'), latest('FAILED'), latest('ERROR')])
  // Ids rise with time.
  const newest = (runs: typeof green) => runs.toSorted((one, other) => (one.id < other.id ? 1 : -1))[0]
  const lastRed = newest(red.flat())
  const last = newest([...green, ...(lastRed ? [lastRed] : [])])
  if (!last) {
    throw new UserError(
      'No run of this project has ended yet. list_runs shows those that wait; trigger_run starts one.',
    )
  }
  if (!lastRed || last === lastRed) return { runId: last.id }
  const { id, reportedStatus, createdAt } = lastRed
  return { runId: last.id, lastRed: { runId: id, status: reportedStatus, createdAt } }
}

function nextStep(runId: string, status: Output['status'], lastRed: Output['lastRed']): Pick<Output, 'next'> {
  if (lastRed) return { next: `The last red run is ${lastRed.runId}: ${lastRed.status}, of ${lastRed.createdAt}.` }
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
