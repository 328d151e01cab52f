import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type Outputs, statusOf, trpc } from '../../api.ts'
import { Filters, SearchField } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Count } from '../../parts/numbers.tsx'
import { Empty, Facts, Section } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { RunStrip } from '../../parts/run-strip.tsx'
import { Time } from '../../parts/time.tsx'
import { BranchList } from './branch-list.tsx'
import { DurationPlot } from './duration-plot.tsx'
import { ErrorList } from './error-list.tsx'
import { type History, type PastResult, statusOfResult } from './history.ts'
import { pageSize } from './input.ts'
import { ResultTable } from './result-table.tsx'
import { SinceWhen } from './since-when.tsx'

const route = getRouteApi('/projects/$projectId/tests/$testId')

interface ResultsProps {
  query: Pick<UseQueryResult<Outputs['testRuns']['history'], unknown>, 'data' | 'error' | 'isFetching' | 'refetch'>
}

/** The results of the test in single runs, of all branches or of one. */
export function Results({ query }: ResultsProps) {
  const { projectId } = route.useParams()
  const { branch } = route.useSearch()
  const history = query.data?.kind === 'history' ? query.data : undefined
  return (
    <>
      {history && branch === undefined ? <BranchList projectId={projectId} results={history.results} /> : undefined}
      <Section title="All results">
        <BranchFilter />
        {query.data === undefined && statusOf(query.error) === 404 ? (
          <NoResults />
        ) : (
          <Loaded query={query}>
            {(history) => (history.kind === 'history' ? <ResultList history={history} /> : undefined)}
          </Loaded>
        )}
      </Section>
    </>
  )
}

function BranchFilter() {
  const { projectId } = route.useParams()
  const { branch } = route.useSearch()
  const navigate = route.useNavigate()
  const branches = useQuery(trpc.projects.branches.queryOptions({ projectId }, { staleTime: 30_000 }))
  return (
    <Filters label="Results">
      <SearchField
        label="Branch"
        value={branch}
        suggestions={branches.data?.branches.map(({ name }) => name) ?? []}
        onChange={(branch) =>
          void navigate({ search: (old) => ({ ...old, branch, offset: undefined }), replace: true, resetScroll: false })
        }
      />
    </Filters>
  )
}

function NoResults() {
  const { branch } = route.useSearch()
  return (
    <Empty title="No results">
      <p>
        {branch === undefined
          ? 'The project’s latest runs do not contain the test, or their results were deleted because of their age.'
          : 'None of the project’s latest runs of this branch contains the test.'}
      </p>
    </Empty>
  )
}

function ResultList({ history }: { history: History }) {
  const { projectId } = route.useParams()
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const { results, since, pagination, test } = history
  return (
    <div className="stack">
      {since ? <SinceWhen projectId={projectId} since={since} /> : undefined}
      <ResultTable projectId={projectId} results={results} testId={test.testId} />
      <Pager
        total={pagination.total}
        limit={pageSize}
        offset={offset}
        onMove={(next) => void navigate({ search: (old) => ({ ...old, offset: next || undefined }) })}
      />
    </div>
  )
}

/** The page of a test that Assay has not judged: only what its results say. */
export function ResultsOnly({ history }: { history: History }) {
  const { projectId } = route.useParams()
  const { results, totals } = history
  return (
    <>
      <section className="card health-card" aria-label="Health">
        <p>
          <strong>Not judged.</strong> Assay judges tests by runs of commits, after each run. It has not judged this
          test yet, or knows it only from runs that do not count, such as those of forks and outages.
        </p>
      </section>
      <Facts
        of={[
          ['Runs', <Count key="runs" of={totals.runs} />],
          ['Failed', <Count key="failed" of={totals.failed} />],
          ['Passed', <Count key="passed" of={totals.passed} />],
          ['Skipped', <Count key="skipped" of={totals.skipped} />],
          ['Passed on retry', <Count key="retried" of={totals.flaky} />],
        ]}
      />
      <Section title="Latest results">
        <div className="test-strip">
          <RunStrip projectId={projectId} noun="result" runs={results.map(asPoint)} />
          <p className="strip-ends hint">
            <Time at={results.at(-1)?.ranAt} />
            <Time at={results[0]?.ranAt} />
          </p>
        </div>
      </Section>
      <ErrorList projectId={projectId} results={results} />
      <Section title="Durations">
        <DurationPlot results={results} />
      </Section>
      <Section title="All results">
        <BranchFilter />
        <ResultList history={history} />
      </Section>
    </>
  )
}

const asPoint = (result: PastResult) => ({
  runId: result.runId,
  reportedStatus: statusOfResult(result),
  createdAt: result.ranAt,
})
