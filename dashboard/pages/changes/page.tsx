import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Commit, Snippet } from '../../parts/copy.tsx'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { headOf, refName } from '../../parts/change-name.ts'
import { judgedColumns } from '../../parts/judged-columns.tsx'
import { hasEnded, optionsOf } from '../../parts/judged.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import '../../styles/judged.css'
import { pageSize, statuses, toChangesQuery, verdicts } from './query.ts'

type Row = Outputs['changes']['list']['changes'][number]

const route = getRouteApi('/projects/$projectId/changes')

const columns: readonly Column<Row>[] = [
  judgedColumns.verdict,
  {
    id: 'change',
    title: 'Change',
    cell: (row) => (
      <Link
        to="/projects/$projectId/changes/$changeId"
        params={{ projectId: row.projectId, changeId: row.id }}
        className="name-cell"
      >
        <bdi>{headOf(row)}</bdi>
      </Link>
    ),
    value: headOf,
  },
  judgedColumns.reason,
  {
    id: 'base',
    title: 'Compared with',
    minor: true,
    cell: (row) => (row.base === null ? <Commit sha={row.baseSha} /> : <bdi>{refName(row.base)}</bdi>),
    value: (row) => row.base ?? row.baseSha,
  },
  {
    id: 'intent',
    title: 'Intent',
    minor: true,
    cell: (row) => (row.intent === 'same' ? 'Refactoring' : 'Change'),
    value: (row) => row.intent,
  },
  judgedColumns.duration,
  judgedColumns.requested,
]

export function ChangesPage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(
    trpc.changes.list.queryOptions(toChangesQuery(projectId, search), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.changes.some((row) => !hasEnded(row)) ? 3_000 : false),
    }),
  )
  const change = (next: Partial<typeof search>) =>
    void navigate({ search: { ...search, offset: undefined, ...next }, replace: true })
  const isFiltered = Boolean(search.verdict ?? search.status)
  return (
    <Page
      title="Changes"
      lead="Which changes are proved by tests: the tests ran before the change, after it, and without it."
    >
      <Filters>
        <SelectField
          label="Verdict"
          value={search.verdict}
          options={optionsOf(verdicts)}
          onChange={(value) => change({ verdict: verdicts.find((each) => each === value) })}
        />
        <SelectField
          label="Status"
          value={search.status}
          options={optionsOf(statuses)}
          onChange={(value) => change({ status: statuses.find((each) => each === value) })}
        />
      </Filters>
      <Loaded query={query}>
        {({ changes, pagination }) =>
          pagination.total === 0 ? (
            <NoChanges isFiltered={isFiltered} />
          ) : (
            <>
              <Table label="Changes" columns={columns} rows={changes} rowKey={({ id }) => id} />
              <Pager
                total={pagination.total}
                limit={pageSize}
                offset={search.offset ?? 0}
                onMove={(offset) => change({ offset })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function NoChanges({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No change matches">Change or remove a filter.</Empty>
  return (
    <Empty title="No change was verified yet">
      <p>
        Assay runs the tests of a change on the code before and after it, and says whether they prove it. In a checkout
        of the project, committed or not:
      </p>
      <Snippet label="Command" text="assay verify --change" />
      <p>Or ask your coding agent, which has the tool verify_change:</p>
      <Snippet
        isProse
        label="Prompt"
        text="Call verify_change before you say that you are done, and add the tests that are missing."
      />
    </Empty>
  )
}
