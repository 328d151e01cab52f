import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Empty } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { pageSize } from './input.ts'

type Generated = Outputs['generatedTests']['list']['tests'][number]

const route = getRouteApi('/projects/$projectId/suggestions')

/** The tests that the AI service wrote, with the verdict of their latest verification. */
export function GeneratedTests() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { offset = 0 } = search
  const query = useQuery(
    trpc.generatedTests.list.queryOptions(
      { projectId, limit: pageSize, offset },
      { placeholderData: keepPreviousData },
    ),
  )
  return (
    <Loaded query={query}>
      {({ tests, pagination }) =>
        tests.length === 0 ? (
          <Empty title="No generated tests">
            <p>
              Open a candidate of the ranked code and generate a test for it. Then verify it, and keep it if it is
              accepted.
            </p>
          </Empty>
        ) : (
          <>
            <Table label="Generated tests" columns={columns} rows={tests} rowKey={({ id }) => id} />
            <Pager
              total={pagination.total}
              limit={pageSize}
              offset={offset}
              onMove={(next) => void navigate({ search: { ...search, offset: next } })}
            />
          </>
        )
      }
    </Loaded>
  )
}

const columns: readonly Column<Generated>[] = [
  {
    id: 'file',
    title: 'Test',
    cell: ({ id, projectId, filePath, description }) => (
      <div className="two-lines">
        <Link to="/projects/$projectId/generated-tests/$generatedTestId" params={{ projectId, generatedTestId: id }}>
          <ShortText text={filePath} />
        </Link>
        <span className="quiet">
          <ShortText text={description} />
        </span>
      </div>
    ),
    value: ({ filePath }) => filePath,
  },
  {
    id: 'verdict',
    title: 'Verdict',
    cell: ({ verdict }) => (verdict ? <Status of={verdict} /> : <span className="quiet">Not verified</span>),
    value: ({ verdict }) => verdict,
  },
  { id: 'type', title: 'Type', minor: true, cell: ({ testType }) => testType, value: ({ testType }) => testType },
  {
    id: 'framework',
    title: 'Framework',
    minor: true,
    cell: ({ framework }) => framework ?? '–',
    value: ({ framework }) => framework,
  },
  {
    id: 'when',
    title: 'Generated',
    align: 'right',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    value: ({ createdAt }) => createdAt,
  },
]
