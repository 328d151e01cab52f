import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { trpc } from '../../api.ts'
import { Snippet } from '../../parts/copy.tsx'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { hasEnded, optionsOf } from '../../parts/judged.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { plural } from '../../parts/number-text.ts'
import { Empty, Page, Section } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { StrengthBar } from '../../parts/strength.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import '../../styles/judged.css'
import '../../styles/strength.css'
import { columns, isOfAll, type Row } from './columns.tsx'
import { MeasureDialog } from './measure-dialog.tsx'
import { pageSize, statuses, toMeasurementsQuery } from './query.ts'

const route = getRouteApi('/projects/$projectId/strength')

const Trend = lazy(() => import('./trend.tsx'))

export function StrengthPage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(
    trpc.strength.list.queryOptions(toMeasurementsQuery(projectId, search), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.measurements.some((row) => !hasEnded(row)) ? 3_000 : false),
    }),
  )
  const change = (next: Partial<typeof search>) => void navigate({ search: { ...search, ...next }, replace: true })
  return (
    <Page
      title="Strength of the tests"
      lead="Which small changes of the code does no test notice? Assay changes the code and runs the tests that reach it."
      actions={
        <button type="button" onClick={() => change({ measure: true })}>
          Measure
        </button>
      }
    >
      <Loaded query={query}>
        {({ measurements, pagination }) => {
          if (pagination.total === 0 && search.status === undefined) return <NoMeasurements />
          const whole = measurements.filter(isOfAll)
          return (
            <>
              {whole[0] ? <Latest of={whole[0]} /> : undefined}
              {whole.length > 1 ? (
                <Suspense fallback={<div className="loading" />}>
                  <Trend of={whole} />
                </Suspense>
              ) : undefined}
              <Section title="Measurements">
                <Filters>
                  <SelectField
                    label="Status"
                    value={search.status}
                    options={optionsOf(statuses)}
                    onChange={(value) => change({ status: statuses.find((each) => each === value), offset: undefined })}
                  />
                </Filters>
                <Table label="List of measurements" columns={columns} rows={measurements} rowKey={({ id }) => id} />
                <Pager
                  total={pagination.total}
                  limit={pageSize}
                  offset={search.offset ?? 0}
                  onMove={(offset) => change({ offset })}
                />
              </Section>
            </>
          )
        }}
      </Loaded>
      {search.measure ? (
        <MeasureDialog projectId={projectId} onClose={() => change({ measure: undefined })} />
      ) : undefined}
    </Page>
  )
}

/** The answer: the latest measurement of all code of the project's branch. */
function Latest({ of }: { of: Row }) {
  if (!of.strength) return undefined
  return (
    <div className="card answer">
      <StrengthBar {...of.strength} previous={of.previous} />
      <p>
        <Link
          to="/projects/$projectId/strength/$measurementId"
          params={{ projectId: of.projectId, measurementId: of.id }}
        >
          {plural(of.survived, 'change')} that no test notices
        </Link>{' '}
        <span className="quiet">
          {of.branch ? (
            <>
              on <bdi>{of.branch}</bdi>,{' '}
            </>
          ) : undefined}
          measured <Time at={of.completedAt} />
        </span>
      </p>
    </div>
  )
}

function NoMeasurements() {
  return (
    <Empty title="The tests were not measured yet">
      <p>
        A line that runs is not a line that is checked. Measure how many small changes of the code the tests notice,
        with the button above or in a checkout:
      </p>
      <Snippet label="Command" text="assay weak" />
      <p>Or ask your coding agent, which has the tool find_weak_tests:</p>
      <Snippet
        isProse
        label="Prompt"
        text="Which changes of the code that I edited would no test notice? Add what is missing."
      />
    </Empty>
  )
}
