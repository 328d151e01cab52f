import { z } from 'zod'
import { ListRuns, ReportedStatus } from '../../../core/test-runs/schema.ts'
import { Page, pageFrom } from '../../answers/output.ts'
import { RunFact, runFact, ShortCommit } from '../../answers/run-facts.ts'
import { maybe } from '../../answers/untrusted.ts'
import { runCoverageWords } from '../../../client/run-coverage-words.ts'
import { defineTool, Id } from '../tool.ts'

const ListedRun = RunFact.pick({
  runId: true,
  status: true,
  source: true,
  branch: true,
  tests: true,
  coverage: true,
  createdAt: true,
}).extend({ commit: maybe(ShortCommit) })

const defaultLimit = 10

export const listRuns = defineTool({
  name: 'list_runs',
  title: 'List runs',
  description: 'Lists the test runs of a project, newest first. FAILED: tests failed; ERROR: no results.',
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    projectId: Id,
    branch: ListRuns.shape.branch,
    status: ReportedStatus.optional(),
    limit: z.int().min(1).max(100).optional(),
    offset: z.int().min(0).optional(),
  }),
  outputSchema: z.object({ runs: z.array(ListedRun), ...Page.shape, next: z.string().optional() }),
  namesAmount: ({ limit }) => limit !== undefined,
  run: async ({ limit = defaultLimit, ...input }, call) => {
    const { runs, pagination } = await call.core.testRuns.list.query({ ...input, limit })
    return {
      runs: runs.map((run) => ({
        ...runFact(run),
        // The gaps of each run would fill the list.
        coverage: runCoverageWords(run)?.summary,
        commit: run.commitSha,
      })),
      ...pageFrom(pagination, runs),
      ...(pagination.total === 0 ? { next: 'trigger_run starts a run.' } : {}),
    }
  },
})
