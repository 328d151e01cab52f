import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Commit, Snippet } from '../../parts/copy.tsx'
import { Filters, SearchField, SelectField } from '../../parts/filters.tsx'
import { judgedColumns } from '../../parts/judged-columns.tsx'
import { hasEnded, optionsOf } from '../../parts/judged.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import '../../styles/judged.css'
import { pageSize, statuses, toVerificationQuery, verdicts } from './query.ts'

type Row = Outputs['tests']['listVerifications']['verifications'][number]

const route = getRouteApi('/projects/$projectId/verifications')

const columns: readonly Column<Row>[] = [
  judgedColumns.verdict,
  {
    id: 'file',
    title: 'Test',
    cell: (row) => (
      <Link
        to="/projects/$projectId/verifications/$verificationId"
        params={{ projectId: row.projectId, verificationId: row.id }}
        className="name-cell"
      >
        <bdi>{row.filePath}</bdi>
      </Link>
    ),
    value: (row) => row.filePath,
  },
  judgedColumns.reason,
  {
    id: 'commit',
    title: 'Code',
    minor: true,
    cell: (row) => (
      <span className="code-cell">
        <Commit sha={row.commitSha} />
        {row.snapshotId ? <span className="tag">Snapshot</span> : undefined}
      </span>
    ),
    value: (row) => row.commitSha,
  },
  judgedColumns.duration,
  judgedColumns.requested,
]

export function VerificationsPage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(
    trpc.tests.listVerifications.queryOptions(toVerificationQuery(projectId, search), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.verifications.some((row) => !hasEnded(row)) ? 3_000 : false),
    }),
  )
  const change = (next: Partial<typeof search>) =>
    void navigate({ search: { ...search, offset: undefined, ...next }, replace: true })
  const isFiltered = Boolean(search.verdict ?? search.status ?? search.file)
  const paths = [...new Set(query.data?.verifications.map(({ filePath }) => filePath))]
  return (
    <Page
      title="Verifications"
      lead="Which tests are worth keeping, and why: each was run, repeated and tried on changed code."
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
        <SearchField
          label="Test file (whole path)"
          value={search.file}
          suggestions={paths}
          onChange={(file) => change({ file })}
        />
      </Filters>
      <Loaded query={query}>
        {({ verifications, pagination }) =>
          pagination.total === 0 ? (
            <NoVerifications isFiltered={isFiltered} />
          ) : (
            <>
              <Table label="Verifications" columns={columns} rows={verifications} rowKey={({ id }) => id} />
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

function NoVerifications({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No verification matches">Change or remove a filter.</Empty>
  return (
    <Empty title="No test was verified yet">
      <p>
        Assay runs a test alone and with all others, measures what it covers, and changes the code to see whether the
        test notices. In a checkout of the project:
      </p>
      <Snippet label="Command" text="assay verify test/cart.test.ts" />
      <p>Or ask your coding agent, which has the tool verify_test:</p>
      <Snippet isProse label="Prompt" text="Write a test for the cart, and keep it only if verify_test accepts it." />
    </Empty>
  )
}
