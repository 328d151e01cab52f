import { z } from 'zod'
import { isRefusal } from '../../../client/core-client.ts'
import { Health, type TestDetail } from '../../../core/tests/schema.ts'
import { testName } from '../../answers/failure-facts.ts'
import { dataNotice, Page, pageFrom } from '../../answers/output.ts'
import {
  healthFacts,
  HealthFacts,
  historyFacts,
  ListedTest,
  listedTest,
  listedTestOfRun,
} from '../../answers/health-facts.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const Output = HealthFacts.partial().extend({
  /** The tests that need attention, or that a search found, if there are several. */
  tests: z.array(ListedTest).optional(),
  /** The number of all tests of the project, if it lists those that need attention. */
  counts: z.record(Health, z.int()).optional(),
  ...Page.shape,
  note: z.string(),
  next: z.string().optional(),
})
type Given = z.input<typeof Output>

const defaultLimit = 10

interface Wanted {
  projectId: string
  limit: number
  offset: number
}

export const getTestHealth = defineTool({
  name: 'get_test_health',
  title: 'Health of a test',
  description:
    'Returns whether a test is flaky or broken, why, since when, what to do, re-run command, quarantine, errors, latest ' +
    'results. Without search and testId, lists the tests that need attention.',
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    projectId: Id,
    search: z.string().min(1).max(200).optional().describe('Part of name or file'),
    testId: Id.optional(),
    variant: z.string().max(120).optional(),
    limit: z.int().min(1).max(100).optional(),
    offset: z.int().min(0).optional(),
  }),
  outputSchema: Output,
  namesAmount: ({ limit }) => limit !== undefined,
  run: async ({ search, testId, variant, limit = defaultLimit, offset = 0, projectId }, call): Promise<Given> => {
    const wanted = { projectId, limit, offset }
    if (search !== undefined && testId !== undefined) return refuse('give either search or testId, not both.')
    if (testId !== undefined) return describeTest(wanted, { testId, variant }, call)
    if (search === undefined) return listNotable(wanted, call)
    const found = await findTests(wanted, search, call)
    if ('testId' in found) return describeTest(wanted, { testId: found.testId, variant }, call)
    return found.facts
  },
})

async function describeTest(
  { projectId, limit, offset }: Wanted,
  test: { testId: string; variant: string | undefined },
  { core }: Call,
): Promise<Given> {
  try {
    const detail = await core.tests.get.query({ projectId, ...test })
    const results = detail.strip.slice(offset, offset + limit)
    return {
      ...healthFacts(detail, results),
      ...pageFrom({ total: detail.strip.length, offset }, results),
      note: dataNotice,
      next: nextOf(detail),
    }
  } catch (error) {
    if (!isRefusal(error, 'NOT_FOUND') || test.variant !== undefined) throw error
    const history = await core.testRuns.history
      .query({ projectId, testId: test.testId, limit, offset })
      .catch(() => undefined)
    if (history?.kind !== 'history') throw error
    return unjudged(history)
  }
}

function nextOf({ health, quarantine, testId }: Pick<TestDetail, 'health' | 'quarantine' | 'testId'>) {
  if (quarantine?.status === 'requested') return 'The request for quarantine waits for a person.'
  if (health !== 'flaky' || quarantine) return undefined
  return `If it blocks others until it is fixed, ask the user to mute it: \`assay quarantine request ${testId}\`, or request_quarantine if you have that tool.`
}

type History = Extract<Awaited<ReturnType<Call['core']['testRuns']['history']['query']>>, { kind: 'history' }>

const unjudged = (history: History): Given => ({
  ...historyFacts(history),
  ...pageFrom(history.pagination, history.results),
  note: dataNotice,
  next: 'Assay has not judged this test: that takes seconds after a run, and runs of commits that are not trusted do not count.',
})

async function listNotable({ projectId, limit, offset }: Wanted, { core }: Call): Promise<Given> {
  const { tests, counts, pagination } = await core.tests.list.query({ projectId, notable: true, limit, offset })
  return {
    tests: tests.map(listedTest),
    counts,
    ...pageFrom(pagination, tests),
    note: dataNotice,
    next: pagination.total === 0 ? 'No test needs attention.' : again,
  }
}

const again = 'Call get_test_health again with one testId.'

/** Finds one test by exactly its name, or else all that contain the text. */
async function findTests(
  { projectId, limit, offset }: Wanted,
  search: string,
  { core }: Call,
): Promise<{ testId: string } | { facts: Given }> {
  const { tests, pagination } = await core.tests.list.query({ projectId, search, limit, offset })
  const ids = new Set(tests.map(({ testId }) => testId))
  const named = new Set(tests.flatMap((test) => (testName(test) === search ? [test.testId] : [])))
  const [only] = named.size === 1 ? named : ids.size === 1 && pagination.total === tests.length ? ids : []
  if (only !== undefined) return { testId: only }
  if (pagination.total > 0) {
    const facts = { tests: tests.map(listedTest), ...pageFrom(pagination, tests), note: dataNotice, next: again }
    return { facts }
  }
  const history = await core.testRuns.history.query({ projectId, search, limit, offset })
  if (history.kind === 'history') return { facts: unjudged(history) }
  return {
    facts: {
      tests: history.tests.map(listedTestOfRun),
      ...pageFrom(history.pagination, history.tests),
      note: dataNotice,
      next:
        history.pagination.total === 0
          ? 'Search for a shorter part of the name; get_run_failures shows the names of failed tests.'
          : again,
    },
  }
}
