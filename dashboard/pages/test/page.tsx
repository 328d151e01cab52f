import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { CodeLink } from '../../parts/code-link.tsx'
import { Filters, SearchField } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Count, formatPercent } from '../../parts/numbers.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { RunStrip } from '../../parts/run-strip.tsx'
import { formatDuration } from '../../parts/time-text.ts'
import { Time } from '../../parts/time.tsx'
import '../../styles/test.css'
import { BranchList } from './branch-list.tsx'
import { DurationPlot } from './duration-plot.tsx'
import { ErrorList } from './error-list.tsx'
import type { History, PastResult } from './history.ts'
import { historyInput, pageSize } from './input.ts'
import { ResultTable } from './result-table.tsx'
import { TestVerdict } from './test-verdict.tsx'

const route = getRouteApi('/projects/$projectId/tests/$testId')

/** Whether a test is flaky or broken, and since which commit. */
export function TestPage() {
  const params = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const history = useQuery(
    trpc.testRuns.history.queryOptions(historyInput(params, search), { placeholderData: keepPreviousData }),
  )
  const branches = useQuery(trpc.projects.branches.queryOptions({ projectId: params.projectId }, { staleTime: 30_000 }))
  const data = history.data?.kind === 'history' ? history.data : undefined
  const name = data?.test.name
  return (
    <Page
      title={name === undefined ? 'Test' : <ShortText text={name} limit={300} />}
      documentTitle={name === undefined ? 'Test' : `Test: ${name.slice(0, 100)}`}
      lead={data ? <TestPlace projectId={params.projectId} test={data.test} /> : <>&nbsp;</>}
    >
      <Filters>
        <SearchField
          label="Branch"
          value={search.branch}
          suggestions={branches.data?.branches.map(({ name }) => name) ?? []}
          onChange={(branch) => void navigate({ search: { branch }, replace: true })}
        />
      </Filters>
      <Loaded query={history}>
        {(history) =>
          history.kind === 'history' ? (
            <TestHistory projectId={params.projectId} history={history} offset={search.offset ?? 0} />
          ) : undefined
        }
      </Loaded>
    </Page>
  )
}

function TestPlace({ projectId, test: { suite, file } }: { projectId: string; test: History['test'] }) {
  // Many reporters use the file as the name of its suite.
  const isNamed = suite !== '' && suite !== file
  return (
    <>
      {isNamed ? <ShortText text={suite} limit={300} /> : undefined}
      {isNamed && file !== null ? ' · ' : undefined}
      {file === null ? undefined : <CodeLink projectId={projectId} path={file} />}
    </>
  )
}

interface HistoryProps {
  projectId: string
  history: History
  offset: number
}

function TestHistory({ projectId, history, offset }: HistoryProps) {
  const navigate = route.useNavigate()
  const { results, totals, pagination } = history
  const decided = totals.passed + totals.failed
  return (
    <>
      <TestVerdict projectId={projectId} history={history} />
      <Facts
        of={[
          ['Runs', <Count key="runs" of={totals.runs} />],
          ['Failed', <Count key="failed" of={totals.failed} />],
          ['Passed', <Count key="passed" of={totals.passed} />],
          ['Skipped', <Count key="skipped" of={totals.skipped} />],
          ['Flaky', <Count key="flaky" of={totals.flaky} />],
          decided > 0 && ['Failure rate', formatPercent((100 * totals.failed) / decided)],
          medianOf(results) !== undefined && ['Median duration', formatDuration(medianOf(results) ?? 0)],
        ]}
      />
      <Section title="Results">
        <div className="test-strip">
          <RunStrip projectId={projectId} runs={results.map(asPoint)} />
          <p className="strip-ends hint">
            <Time at={results.at(-1)?.createdAt} />
            <Time at={results[0]?.createdAt} />
          </p>
        </div>
      </Section>
      <ErrorList projectId={projectId} results={results} />
      <BranchList projectId={projectId} results={results} />
      <Section title="Durations">
        <DurationPlot results={results} />
      </Section>
      <Section title="All results">
        <ResultTable projectId={projectId} results={results} testId={history.test.testId} />
        <Pager
          total={pagination.total}
          limit={pageSize}
          offset={offset}
          onMove={(offset) => void navigate({ search: (old) => ({ ...old, offset: offset || undefined }) })}
        />
      </Section>
    </>
  )
}

const asPoint = ({ runId, status, flaky, createdAt }: PastResult) => ({
  runId,
  reportedStatus: flaky ? 'flaky' : status,
  createdAt,
})

function medianOf(results: readonly PastResult[]): number | undefined {
  const sorted = results.flatMap(({ durationMs }) => durationMs ?? []).toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)]
}
