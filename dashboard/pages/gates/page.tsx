import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Commit, Snippet } from '../../parts/copy.tsx'
import { Filters, SearchField, SelectField } from '../../parts/filters.tsx'
import { flooredPercent, gateModeTexts, gateName, GateStatus, stateTexts } from '../../parts/gate.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Prose } from '../../parts/prose.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import '../../styles/judged.css'
import { gateStates, pageSize, readPullRequest, toGatesQuery } from './query.ts'

type Row = Outputs['gate']['list']['gates'][number]

const route = getRouteApi('/projects/$projectId/gates')

const columns: readonly Column<Row>[] = [
  {
    id: 'state',
    title: 'State',
    cell: ({ state, mode }) => (
      <span className="verdict-status">
        <GateStatus of={state} />
        {mode === 'enforced' ? undefined : <span className="tag">{gateModeTexts[mode]}</span>}
      </span>
    ),
    value: ({ state }) => state,
  },
  {
    id: 'change',
    title: 'Change',
    cell: (row) => (
      <Link
        to="/projects/$projectId/gates/$gateId"
        params={{ projectId: row.projectId, gateId: row.id }}
        className="name-cell"
      >
        <ShortText text={gateName(row)} />
      </Link>
    ),
    value: gateName,
  },
  {
    id: 'reason',
    title: 'First reason',
    minor: true,
    cell: ({ reasons: [first] }) => (first ? <Prose text={first.text} max={200} /> : <span className="quiet">–</span>),
    value: ({ reasons: [first] }) => first?.text,
  },
  {
    id: 'lines',
    title: 'Changed lines covered',
    align: 'right',
    cell: ({ figures }) =>
      figures?.lines.percent == null ? (
        <span className="quiet">–</span>
      ) : (
        <span className="number">{flooredPercent(figures.lines.percent)}</span>
      ),
    value: ({ figures }) => figures?.lines.percent,
  },
  {
    id: 'commit',
    title: 'Commit',
    minor: true,
    cell: ({ headSha }) => <Commit sha={headSha} />,
    value: ({ headSha }) => headSha,
  },
  {
    id: 'requested',
    title: 'Requested',
    align: 'right',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    value: ({ createdAt }) => createdAt,
  },
]

/** The gates of the project, newest first. */
export function GatesPage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(
    trpc.gate.list.queryOptions(toGatesQuery(projectId, search), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.gates.some((gate) => gate.state === 'pending') ? 3_000 : false),
    }),
  )
  const change = (next: Partial<typeof search>) =>
    void navigate({ search: { ...search, offset: undefined, ...next }, replace: true })
  const isFiltered = Boolean(search.state ?? search.branch ?? search.pullRequest)
  return (
    <Page
      title="Gates"
      lead={
        <>
          Whether a change may be merged, by its tests and the coverage of its lines.{' '}
          <Link to="/projects/$projectId/settings" params={{ projectId }} search={{ tab: 'gate' }}>
            Rules of the gate
          </Link>
        </>
      }
    >
      <Filters>
        <SelectField
          label="State"
          value={search.state}
          options={gateStates.map((state) => [state, stateTexts[state]] as const)}
          onChange={(value) => change({ state: gateStates.find((each) => each === value) })}
        />
        <SearchField label="Branch" value={search.branch} onChange={(branch) => change({ branch: branch?.trim() })} />
        <SearchField
          label="Pull request"
          value={search.pullRequest === undefined ? undefined : String(search.pullRequest)}
          onChange={(text) => change({ pullRequest: readPullRequest(text) })}
        />
      </Filters>
      <Loaded query={query}>
        {({ gates, pagination }) =>
          pagination.total === 0 ? (
            <NoGates isFiltered={isFiltered} />
          ) : (
            <>
              <Table
                label="Gates"
                columns={columns}
                rows={gates}
                rowKey={({ id }) => id}
                tone={({ conclusion }) => (conclusion === 'failure' || conclusion === 'error' ? 'bad' : undefined)}
              />
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

function NoGates({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No gate matches">Change or remove a filter.</Empty>
  return (
    <Empty title="No change was judged yet">
      <p>
        Uploads of a pull request are judged by themselves. In a checkout, or as the last step of CI, this waits for the
        gate of the commit:
      </p>
      <Snippet label="Command" text="assay gate" />
      <p>A new gate is informational: it says what it would decide, and blocks nothing until an admin enforces it.</p>
    </Empty>
  )
}
