import { z } from 'zod'
import { ListRuns, ReportedStatus } from '../../../core/test-runs/schema.ts'
import { cutPage, Page, renderPageEnd } from '../../answers/output.ts'
import { renderCounts, RunFact, runFact, shortCommit } from '../../answers/run-facts.ts'
import { defineTool, Id } from '../tool.ts'

const ListedRun = RunFact.pick({
  runId: true,
  status: true,
  source: true,
  branch: true,
  tests: true,
  createdAt: true,
}).extend({ commit: z.string().optional() })
type ListedRun = z.infer<typeof ListedRun>

const defaultLimit = 10

export const listRuns = defineTool({
  name: 'list_runs',
  title: 'List runs',
  description: 'Runs of a project, newest first. FAILED: tests failed; ERROR: no results.',
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
  asked: ({ limit }) => limit !== undefined,
  run: async ({ limit = defaultLimit, ...input }, call) => {
    const { runs, pagination } = await call.core.testRuns.list.query({ ...input, limit })
    const { total, offset } = pagination
    const end = offset + runs.length
    return {
      runs: runs.map((run) => {
        const { runId, status, source, branch, tests, createdAt } = runFact(run)
        return { runId, status, source, branch, commit: shortCommit(run.commitSha), tests, createdAt }
      }),
      total,
      offset,
      nextOffset: end < total ? end : undefined,
      ...(total === 0 ? { next: 'trigger_run starts one.' } : {}),
    }
  },
  render: ({ runs, next, ...page }) =>
    [
      `${page.total} ${page.total === 1 ? 'run' : 'runs'}${runs.length < page.total ? `, ${runs.length} shown` : ''}.`,
      ...runs.map(renderListed),
      ...renderPageEnd(page),
      ...(next ? [next] : []),
    ].join('\n'),
  list: {
    count: ({ runs }) => runs.length,
    keep: ({ runs, total, offset, nextOffset, ...facts }, count) => {
      const { items, page } = cutPage(runs, { total, offset, nextOffset }, count)
      return { ...facts, runs: items, ...page }
    },
  },
})

function renderListed({ runId, status, source, branch, commit, tests, createdAt }: ListedRun): string {
  const at = [branch, commit && `@ ${commit}`].filter(Boolean).join(' ')
  return [runId, status, source, at, tests && renderCounts(tests), createdAt].filter(Boolean).join(' | ')
}
