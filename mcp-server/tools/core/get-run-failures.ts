import { z } from 'zod'
import { type ListResults, type ResultsPage, TestResult } from '../../../core/test-runs/results/schema.ts'
import { ReportedStatus } from '../../../core/test-runs/schema.ts'
import { FailureFacts, failureFacts, keepGroups, Label, placeOf, testName } from '../../answers/failure-facts.ts'
import { dataNotice, Page, pageFrom } from '../../answers/output.ts'
import { RunFact, runFact } from '../../answers/run-facts.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import { latestEnded } from '../../../client/latest-run.ts'
import type { CoreClient } from '../../../client/core-client.ts'
import { UserError } from '../../../client/user-error.ts'
import { type Call, defineTool, Id, requireEither } from '../tool.ts'

const FailedTest = TestResult.pick({ testId: true }).extend({
  test: Label,
  file: maybe(Label),
  /** The failure does not decide. */
  muted: z.literal(true).optional(),
  /** Message and stack as the runner reported them. */
  output: untrusted.text(4_000),
})

const Output = RunFact.pick({ runId: true, url: true, status: true, coverage: true, error: true }).extend({
  failures: FailureFacts.optional(),
  tests: z.array(FailedTest).optional(),
  /** The latest failed run, where the latest run of the project passed. */
  lastRed: z.object({ runId: z.string(), status: ReportedStatus, createdAt: z.string() }).optional(),
  ...Page.partial().shape,
  note: z.string(),
  next: z.string().optional(),
})
type Output = z.infer<typeof Output>
type Given = z.input<typeof Output>

/** Core returns more than fits, and the answer is cut to its budget. */
const digestCharacters = 12_000
const pageSize = 5

export const getRunFailures = defineTool({
  name: 'get_run_failures',
  title: 'What failed, and where',
  description:
    'Returns what failed in a run, or in the latest ended run of a project, by cause: message, file and line, since when, flaky, fixed tests, re-run command. ' +
    'With search or offset: test by test, with whole message and stack.',
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    runId: Id.optional(),
    projectId: Id.optional(),
    search: z.string().max(200).optional().describe('Part of name or file'),
    offset: z.int().min(0).optional(),
  }),
  outputSchema: Output,
  run: async ({ runId: given, projectId, search, offset }, call): Promise<Given> => {
    requireEither({ runId: given, projectId }, 'runId', 'projectId', ', for its latest run.')
    const { runId, lastRed } = given === undefined ? await latestOf(projectId ?? '', call.core) : { runId: given }
    if (search !== undefined || offset !== undefined) return testByTest({ runId, search, offset }, call)
    const [run, digest] = await Promise.all([
      call.core.testRuns.get.query({ runId }),
      call.core.testRuns.failures.query({ runId, maxCharacters: digestCharacters }),
    ])
    const { url, status, coverage, error } = runFact(run)
    const failures = failureFacts(digest)
    return {
      runId,
      url,
      status,
      coverage,
      error,
      failures,
      lastRed,
      note: dataNotice,
      next: nextStep(runId, status, lastRed),
    }
  },
  cut: ({ failures, ...facts }) =>
    failures && {
      count: failures.groups.length,
      keep: (count) => ({ ...facts, failures: keepGroups(facts.runId, failures, count) }),
    },
})

/** The latest run of a project that ended; where it passed, also the latest run that did not. */
async function latestOf(projectId: string, core: CoreClient): Promise<Pick<Output, 'runId' | 'lastRed'>> {
  const { latest, failed } = await latestEnded(core, projectId)
  if (!latest) {
    throw new UserError('No run of this project has ended yet. list_runs shows queued runs; trigger_run starts a run.')
  }
  if (!failed || latest === failed) return { runId: latest.id }
  const { id, reportedStatus, createdAt } = failed
  return { runId: latest.id, lastRed: { runId: id, status: reportedStatus, createdAt } }
}

function nextStep(runId: string, status: Output['status'], lastRed: Output['lastRed']): string | undefined {
  if (lastRed) return `The last failed run is ${lastRed.runId}: ${lastRed.status}, of ${lastRed.createdAt}.`
  if (status === 'PENDING' || status === 'RUNNING') return `Call wait_for_run with runId ${runId} first.`
  if (status === 'ERROR') return `get_run_log with runId ${runId} returns the whole log.`
  return status === 'FAILED' ? 'Call again with search for the whole message and stack of a test.' : undefined
}

async function testByTest(
  { runId, search, offset = 0 }: Pick<z.input<typeof ListResults>, 'runId' | 'search' | 'offset'>,
  { core }: Call,
): Promise<Given> {
  const [run, { results, pagination }] = await Promise.all([
    core.testRuns.get.query({ runId }),
    core.testRuns.results.query({ runId, status: 'failed', search, offset, limit: pageSize }),
  ])
  return {
    runId,
    url: run.url,
    status: runFact(run).status,
    tests: results.map(failedTest),
    ...pageFrom({ total: pagination.total, offset }, results),
    note: dataNotice,
    ...(pagination.total === 0
      ? { next: `Call get_run_failures with runId ${runId} alone for all failed tests.` }
      : {}),
  }
}

function failedTest({ message, stack, ...test }: ResultsPage['results'][number]) {
  // Many runners begin the stack with the message.
  const parts = message !== null && stack?.includes(message) ? [stack] : [message, stack]
  const output = parts.filter((part) => part !== null).join('\n')
  return {
    testId: test.testId,
    test: testName(test),
    file: placeOf(test),
    muted: test.muted || undefined,
    output: output || '(no message)',
  }
}
