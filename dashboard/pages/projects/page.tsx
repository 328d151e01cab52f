import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Outputs, trpc } from '../../api.ts'
import { ConnectAgent } from '../../parts/connect-agent.tsx'
import { Filters, SearchField, SelectField } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Count, Percent } from '../../parts/numbers.tsx'
import { Empty, Page, Section } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { RunStrip } from '../../parts/run-strip.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { AddProject } from './add-project.tsx'
import { overviewInput, pageSize } from './input.ts'

type Overview = Outputs['projects']['overview']
type Project = Overview['projects'][number]

const route = getRouteApi('/')

/** Every project that the user may see, those that need attention first. */
export function ProjectsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [isAdding, setAdding] = useState(false)
  const organizations = useQuery(trpc.organizations.list.queryOptions(undefined, { staleTime: 60_000 }))
  const overview = useQuery(
    trpc.projects.overview.queryOptions(overviewInput(search), {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.projects.some(({ activeRuns }) => activeRuns > 0) ? 5_000 : 60_000),
    }),
  )
  const filter = (change: Partial<typeof search>) =>
    void navigate({ search: { ...search, offset: undefined, ...change }, replace: true })
  const isFiltered = search.search !== undefined || search.organization !== undefined
  return (
    <Page
      title="Projects"
      actions={
        <button type="button" onClick={() => setAdding(true)}>
          Add a project
        </button>
      }
      lead={overview.data && attention(overview.data)}
    >
      <Filters>
        <SearchField label="Name" value={search.search} onChange={(text) => filter({ search: text })} />
        {(organizations.data?.length ?? 0) > 0 ? (
          <SelectField
            label="Organization"
            value={search.organization}
            options={organizations.data?.map(({ id, name }) => [id, name] as const) ?? []}
            onChange={(organization) => filter({ organization })}
          />
        ) : undefined}
        <SelectField
          label="Order"
          value={search.sort}
          any="Needs attention first"
          options={[
            ['latest', 'Latest run first'],
            ['name', 'By name'],
          ]}
          onChange={(sort) => filter({ sort: sort as 'name' | 'latest' | undefined })}
        />
      </Filters>
      <Loaded query={overview}>
        {({ projects, pagination }) =>
          projects.length > 0 ? (
            <>
              <Table label="Projects" columns={columns} rows={projects} rowKey={({ id }) => id} tone={toneOf} />
              <Pager
                total={pagination.total}
                limit={pageSize}
                offset={pagination.offset}
                onMove={(offset) => void navigate({ search: { ...search, offset } })}
              />
            </>
          ) : isFiltered ? (
            <Empty title="No project matches">
              <p>Change the filters, or clear them to see all projects.</p>
            </Empty>
          ) : (
            <FirstSteps onAdd={() => setAdding(true)} />
          )
        }
      </Loaded>
      {isAdding ? <AddProject onClose={() => setAdding(false)} /> : undefined}
    </Page>
  )
}

const needsAttention = ({ health, coverage }: Project) =>
  health === 'failing' || health === 'error' || (coverage?.change ?? 0) < -0.005

/** One sentence on what needs the user. */
function attention({ projects, pagination }: Overview): string | undefined {
  const found = projects.filter(needsAttention)
  if (projects.length === 0) return undefined
  if (found.length === 0) return `${plural(pagination.total, 'project')}, none needs attention.`
  const names = found.slice(0, 3).map(({ name }) => name)
  const others = found.length > 3 ? ` and ${found.length - 3} more` : ''
  return `${plural(found.length, 'project')} of ${pagination.total} ${found.length === 1 ? 'needs' : 'need'} attention: ${names.join(', ')}${others}.`
}

const toneOf = (project: Project) =>
  project.health === 'failing' || project.health === 'error' ? 'bad' : needsAttention(project) ? 'warn' : undefined

const columns: readonly Column<Project>[] = [
  {
    id: 'name',
    title: 'Project',
    cell: ({ id, name, repository }) => (
      <div className="two-lines">
        <Link to="/projects/$projectId" params={{ projectId: id }}>
          {name}
        </Link>
        <span className="quiet minor">{repository}</span>
      </div>
    ),
    value: ({ name }) => name,
  },
  {
    id: 'health',
    title: 'Branch',
    cell: ({ health, failingSince, branch }) => (
      <div className="two-lines">
        <Status of={health} text={health === 'unknown' ? 'No result yet' : undefined} />
        <span className="quiet">
          {branch}
          {failingSince ? (
            <>
              , {plural(failingSince.runs, 'run')}, first <Time at={failingSince.createdAt} />
            </>
          ) : undefined}
        </span>
      </div>
    ),
    value: ({ health }) => health,
  },
  {
    id: 'strip',
    title: 'Latest 20 runs',
    minor: true,
    cell: ({ id, strip }) => <RunStrip projectId={id} runs={strip} />,
  },
  {
    id: 'coverage',
    title: 'Coverage',
    align: 'right',
    cell: ({ coverage }) => <Percent of={coverage?.percent} change={coverage?.change} />,
    value: ({ coverage }) => coverage?.percent,
  },
  {
    id: 'flaky',
    title: 'Flaky tests',
    align: 'right',
    minor: true,
    cell: ({ flakyTests }) => <Count of={flakyTests} />,
    value: ({ flakyTests }) => flakyTests,
  },
  {
    id: 'suggestions',
    title: 'Open suggestions',
    align: 'right',
    minor: true,
    cell: ({ id, openSuggestions }) => (
      <Link to="/projects/$projectId/suggestions" params={{ projectId: id }} className="number">
        {openSuggestions}
      </Link>
    ),
    value: ({ openSuggestions }) => openSuggestions,
  },
  {
    id: 'active',
    title: 'In progress',
    align: 'right',
    minor: true,
    cell: (project) => <InProgress of={project} />,
    value: ({ activeRuns }) => activeRuns,
  },
  {
    id: 'latest',
    title: 'Latest run',
    align: 'right',
    cell: ({ strip }) => <Time at={strip[0]?.createdAt} />,
    value: ({ strip }) => strip[0]?.createdAt,
  },
]

/** The running and the queued runs. */
function InProgress({ of: { activeRuns, queuedRuns } }: { of: Project }) {
  const running = activeRuns - queuedRuns
  if (activeRuns === 0) return <Count of={0} />
  return (
    <div className="two-lines number">
      {running > 0 ? <span>{formatCount(running)} running</span> : undefined}
      {queuedRuns > 0 ? <span className="quiet">{formatCount(queuedRuns)} queued</span> : undefined}
    </div>
  )
}

/** What to do before there is a project. */
function FirstSteps({ onAdd }: { onAdd: () => void }) {
  return (
    <>
      <Empty title="Add your first project">
        <p>
          A project is a repository that Assay analyzes and tests. Add one here, or let your coding agent do it: once it
          is connected, ask it what to test in your checkout.
        </p>
        <div className="row">
          <button type="button" onClick={onAdd}>
            Add a project
          </button>
        </div>
      </Empty>
      <Section title="Connect a coding agent">
        <ConnectAgent />
      </Section>
    </>
  )
}
