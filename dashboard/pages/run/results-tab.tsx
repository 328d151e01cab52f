import { keepPreviousData, type UseQueryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Filters, SearchField, SelectField } from '../../parts/filters.tsx'
import { VariantTag } from '../../parts/health.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import { Empty } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import type { Column } from '../../parts/table.tsx'
import { Duration } from '../../parts/time.tsx'
import { VirtualTable } from '../../parts/virtual-table.tsx'
import { isActive } from '../runs/words.ts'
import { DeletedResults } from './deleted-results.tsx'
import { resultsInput, resultSorts, resultStatuses, type RunSearch } from './input.ts'
import { ResultPanel } from './result-panel.tsx'
import type { Result, RunDetail } from './run.ts'

const route = getRouteApi('/projects/$projectId/runs/$runId')
const pageSize = 100

const statusTexts = { failed: 'Failed', passed: 'Passed', skipped: 'Skipped' }
const sortTexts = { status: 'Failed first', duration: 'Slowest first', name: 'By name' }

/** All results of the run, up to hundreds of thousands, with the selected one in a panel. */
export function ResultsTab({ projectId, run }: { projectId: string; run: RunDetail }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const input = resultsInput(run.id, search)
  const pageOptions = (offset: number) =>
    trpc.testRuns.results.queryOptions({ ...input, limit: pageSize, offset }, { staleTime: 60_000 })
  const first = useQuery({ ...pageOptions(0), placeholderData: keepPreviousData })
  const pageQuery = (offset: number): UseQueryOptions<readonly Result[], unknown> => ({
    queryKey: [...trpc.testRuns.results.queryKey({ ...input, limit: pageSize, offset }), 'rows'],
    queryFn: async () => (await queryClient.fetchQuery(pageOptions(offset))).results,
    staleTime: 60_000,
  })
  const filter = (change: RunSearch) =>
    void navigate({ search: (old) => ({ ...old, tab: 'results', ...change }), replace: true, resetScroll: false })
  const { test, status, flaky, q, sort } = search
  const isFiltered = status !== undefined || flaky === true || q !== undefined
  return (
    <>
      <Filters>
        <SearchField label="Name or file" value={q} onChange={(q) => filter({ q })} />
        <SelectField
          label="Status"
          value={flaky ? 'flaky' : status}
          options={[...resultStatuses.map((each) => [each, statusTexts[each]] as const), ['flaky', 'Flaky'] as const]}
          onChange={(value) =>
            filter({
              status: resultStatuses.find((each) => each === value),
              flaky: value === 'flaky' ? true : undefined,
            })
          }
        />
        <SelectField
          label="Order"
          any={sortTexts.status}
          value={sort === 'status' ? undefined : sort}
          options={resultSorts.flatMap((each) => (each === 'status' ? [] : [[each, sortTexts[each]] as const]))}
          onChange={(value) => filter({ sort: resultSorts.find((each) => each === value) })}
        />
      </Filters>
      <Loaded query={first}>
        {({ pagination: { total } }) =>
          total === 0 ? (
            <NoResults projectId={projectId} run={run} isFiltered={isFiltered} />
          ) : (
            <div className={test === undefined ? undefined : 'with-panel'}>
              <div>
                <p className="hint result-count" role="status">
                  {plural(total, 'result')}
                </p>
                <VirtualTable
                  // A new filter starts at the top.
                  key={JSON.stringify(input)}
                  label="Results"
                  columns={columns}
                  widths="minmax(12rem, 3fr) minmax(6rem, 2fr) 5rem"
                  total={total}
                  pageSize={pageSize}
                  pageQuery={pageQuery}
                  isSelected={({ testId }) => testId === test}
                />
              </div>
              {test === undefined ? undefined : (
                <ResultPanel key={test} projectId={projectId} run={run} testId={test} />
              )}
            </div>
          )
        }
      </Loaded>
    </>
  )
}

interface NoResultsProps {
  projectId: string
  run: RunDetail
  isFiltered: boolean
}

function NoResults({ projectId, run, isFiltered }: NoResultsProps) {
  if (run.resultsDeleted) return <DeletedResults projectId={projectId} run={run} />
  if (isFiltered) return <Empty title="No result matches these filters" />
  return (
    <Empty title="This run has no results">
      <p>
        {isActive(run)
          ? 'Results are read from the reports at the end of the run.'
          : 'No report with tests was found. The log and the plan show what ran.'}
      </p>
    </Empty>
  )
}

const columns: readonly Column<Result>[] = [
  {
    id: 'test',
    title: 'Test',
    cell: ({ testId, suite, name, status, flaky, muted, variant }) => (
      <>
        <Status of={muted ? 'muted' : status} compact /> {flaky ? <Status of="flaky" compact /> : undefined}{' '}
        <Link
          from="/projects/$projectId/runs/$runId"
          to="."
          search={(old) => ({ ...old, tab: 'results' as const, test: testId })}
          replace
          resetScroll={false}
          preload={false}
          className="result-link"
        >
          <ShortText text={suite === '' ? name : `${suite} › ${name}`} limit={300} />
        </Link>{' '}
        <VariantTag of={variant} />
      </>
    ),
  },
  {
    id: 'file',
    title: 'File',
    cell: ({ file, line }) =>
      file === null ? undefined : (
        <code className="quiet">
          <ShortText text={line === null ? file : `${file}:${line}`} limit={200} />
        </code>
      ),
  },
  { id: 'duration', title: 'Duration', align: 'right', cell: ({ durationMs }) => <Duration ms={durationMs} /> },
]
