import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { formatCount, formatPercent } from '../../parts/number-text.ts'
import { Count, Percent } from '../../parts/numbers.tsx'
import { Facts } from '../../parts/page.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { type Entry, type Figures, folderQuery, percentOf, sorted, sorts, uncoveredOf } from './query.ts'
import { Treemap } from './treemap.tsx'

const route = getRouteApi('/projects/$projectId/coverage')

/** A folder: its place, its figures, the map and the table of what is in it. */
export function FolderView({ projectId, runId }: { projectId: string; runId: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const router = useRouter()
  const folder = search.folder ?? ''
  const sort = search.sort ?? 'uncovered'
  const query = useQuery({ ...folderQuery(runId, folder), placeholderData: keepPreviousData })
  const hrefOf = ({ kind, path }: Entry) =>
    kind === 'folder'
      ? router.buildLocation({
          to: '/projects/$projectId/coverage',
          params: { projectId },
          search: { ...search, folder: path },
        }).href
      : router.buildLocation({ to: '/projects/$projectId/code', params: { projectId }, search: { path, run: runId } })
          .href
  return (
    <>
      <Breadcrumbs folder={folder} />
      <Loaded query={query}>
        {(data) => (
          <div className="coverage-folder">
            <FolderFacts of={data.folder} />
            <Treemap name={folder === '' ? 'the repository' : folder} entries={data.entries} hrefOf={hrefOf} />
            <Table
              label={folder === '' ? 'Coverage by folder' : `Coverage of ${folder}`}
              columns={columnsFor(projectId, runId)}
              rows={sorted(data.entries, sort)}
              rowKey={({ path }) => path}
              sort={sort}
              onSort={(next) =>
                void navigate({ search: { ...search, sort: sorts.find((each) => each === next) }, replace: true })
              }
            />
            {data.pagination.total > data.entries.length ? (
              <p className="quiet">
                The first {formatCount(data.entries.length)} of {formatCount(data.pagination.total)} entries. The other
                view lists all files.
              </p>
            ) : undefined}
          </div>
        )}
      </Loaded>
    </>
  )
}

function Breadcrumbs({ folder }: { folder: string }) {
  const search = route.useSearch()
  const names = folder === '' ? [] : folder.split('/')
  return (
    <nav className="breadcrumbs" aria-label="Folder">
      <ol>
        {['Repository', ...names].map((name, index) => {
          const path = names.slice(0, index).join('/')
          return (
            <li key={path}>
              {index === names.length ? (
                <span aria-current="location">{name}</span>
              ) : (
                <Link to="." search={{ ...search, folder: path === '' ? undefined : path }}>
                  {name}
                </Link>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

function FolderFacts({ of }: { of: Figures }) {
  return (
    <Facts
      of={[
        ['Lines', <Percent key="lines" of={percentOf(of.lines)} />],
        ['Uncovered lines', `${formatCount(uncoveredOf(of))} of ${formatCount(of.lines.total)}`],
        of.branches !== null && ['Branches', <Percent key="branches" of={percentOf(of.branches)} />],
        of.functions !== null && ['Functions', <Percent key="functions" of={percentOf(of.functions)} />],
        of.strength !== null && [
          'Small changes that tests notice',
          <span key="strength" className="row">
            <Percent of={of.strength.percent} />
            <span className="quiet number">
              {formatCount(of.strength.noticed)} of {formatCount(of.strength.tried)}
            </span>
          </span>,
        ],
        ['Files', formatCount(of.files)],
      ]}
    />
  )
}

const columnsFor = (projectId: string, runId: string): readonly Column<Entry>[] => [
  {
    id: 'path',
    title: 'Name',
    sort: 'name',
    cell: (entry) => <EntryLink projectId={projectId} runId={runId} of={entry} />,
    value: ({ path }) => path,
  },
  {
    id: 'lines',
    title: 'Lines',
    sort: 'share',
    cell: ({ lines }) => <Percent of={percentOf(lines)} />,
    value: ({ lines }) => percentOf(lines),
  },
  {
    id: 'uncovered',
    title: 'Uncovered',
    sort: 'uncovered',
    align: 'right',
    cell: (entry) => <Count of={uncoveredOf(entry)} />,
    value: uncoveredOf,
  },
  {
    id: 'total',
    title: 'Of lines',
    align: 'right',
    minor: true,
    cell: ({ lines }) => <Count of={lines.total} />,
    value: ({ lines }) => lines.total,
  },
  {
    id: 'branches',
    title: 'Branches',
    align: 'right',
    minor: true,
    cell: ({ branches }) => <ShareText of={branches} />,
    value: ({ branches }) => percentOf(branches),
  },
  {
    id: 'functions',
    title: 'Functions',
    align: 'right',
    minor: true,
    cell: ({ functions }) => <ShareText of={functions} />,
    value: ({ functions }) => percentOf(functions),
  },
  {
    id: 'strength',
    title: 'Changes noticed',
    align: 'right',
    cell: ({ strength }) => (strength ? <ShareText of={{ covered: strength.noticed, total: strength.tried }} /> : none),
    value: ({ strength }) => strength?.percent,
  },
]

const none = <span className="quiet">–</span>

export function ShareText({ of }: { of: { covered: number; total: number } | null }) {
  const percent = percentOf(of)
  if (of === null || percent === null) return none
  return (
    <span className="number" title={`${formatCount(of.covered)} of ${formatCount(of.total)}`}>
      {formatPercent(percent)}
    </span>
  )
}

function EntryLink({ projectId, runId, of: { kind, path } }: { projectId: string; runId: string; of: Entry }) {
  const search = route.useSearch()
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    <span className="entry">
      <Icon name={kind} />
      {kind === 'folder' ? (
        <Link to="." search={{ ...search, folder: path }}>
          {name}/
        </Link>
      ) : (
        <Link to="/projects/$projectId/code" params={{ projectId }} search={{ path, run: runId }}>
          {name}
        </Link>
      )}
    </span>
  )
}
