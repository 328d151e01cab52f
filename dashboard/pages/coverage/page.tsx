import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { trpc } from '../../api.ts'
import { Commit, Snippet } from '../../parts/copy.tsx'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Change, formatPercent } from '../../parts/numbers.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/time.tsx'
import { shortTime } from '../../parts/time-text.ts'
import '../../styles/coverage.css'
import { Files } from './files.tsx'
import { FolderView } from './folder.tsx'
import { recentRuns, type Run } from './query.ts'

const route = getRouteApi('/projects/$projectId/coverage')

const Trend = lazy(() => import('./trend.tsx'))

export function CoveragePage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const project = useQuery(trpc.projects.getProject.queryOptions({ projectId }, { staleTime: 30_000 }))
  const recent = useQuery(trpc.testRuns.list.queryOptions(recentRuns(projectId)))
  const runs = recent.data?.runs.filter(({ coverage }) => coverage !== null) ?? []
  const ofBranch = runs.find(({ branch }) => branch === project.data?.branch) ?? runs[0]
  const runId = search.run ?? (project.data || project.error ? ofBranch?.id : undefined)
  const isListed = runs.some(({ id }) => id === runId)
  const named = useQuery(
    trpc.testRuns.get.queryOptions(
      { runId: runId ?? '' },
      { enabled: runId !== undefined && recent.data !== undefined && !isListed },
    ),
  )
  const run = runs.find(({ id }) => id === runId) ?? named.data
  return (
    <Page title="Coverage" lead={run ? <Lead run={run} runs={runs} /> : 'What is untested?'}>
      <Loaded query={recent}>
        {() =>
          runId === undefined ? (
            project.isPending ? undefined : (
              <NoCoverage />
            )
          ) : (
            <>
              <Filters>
                <SelectField
                  label="Run"
                  any="Latest run"
                  value={search.run}
                  options={optionsOf(runs, search.run, named.data)}
                  onChange={(next) => void navigate({ search: { ...search, run: next }, replace: true })}
                />
              </Filters>
              <Tabs label="Views of the coverage">
                <Link to="." search={{ ...search, view: undefined }} className="tab" activeOptions={exactly}>
                  By folder
                </Link>
                <Link to="." search={{ ...search, view: 'files' }} className="tab" activeOptions={exactly}>
                  Files by uncovered lines
                </Link>
              </Tabs>
              {search.view === 'files' ? (
                <Files projectId={projectId} runId={runId} />
              ) : (
                <FolderView projectId={projectId} runId={runId} />
              )}
              {run && runs.filter(({ branch }) => branch === run.branch).length > 2 ? (
                <Suspense fallback={<div className="loading" />}>
                  <Trend branch={run.branch} runs={runs} />
                </Suspense>
              ) : undefined}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const exactly = { includeSearch: true, explicitUndefined: true }

const nameOf = ({ branch, commitSha, createdAt, coverage }: Run) =>
  `${branch ?? commitSha?.slice(0, 8) ?? 'run'}, ${shortTime(createdAt)}, ${coverage === null ? 'no coverage' : formatPercent(coverage)}`

function optionsOf(runs: readonly Run[], chosen: string | undefined, other: Run | undefined) {
  const options = runs.map((run) => [run.id, nameOf(run)] as const)
  if (chosen === undefined || runs.some(({ id }) => id === chosen)) return options
  return [[chosen, other ? nameOf(other) : chosen] as const, ...options]
}

/** The answer in a line: how much is covered, and how that changed since the run before. */
function Lead({ run, runs }: { run: Run; runs: readonly Run[] }) {
  const before = runs.find(({ branch, createdAt }) => branch === run.branch && createdAt < run.createdAt)
  const by = before && run.coverage !== null && before.coverage !== null ? run.coverage - before.coverage : undefined
  return (
    <>
      {run.coverage === null ? (
        'This run measured no coverage.'
      ) : (
        <>
          <strong className="number">{formatPercent(run.coverage)}</strong> of the lines are covered
          {by !== undefined && Math.abs(by) >= 0.05 ? (
            <>
              {' '}
              <Change by={by} /> since the run before
            </>
          ) : undefined}
          .
        </>
      )}{' '}
      Measured by{' '}
      <Link to="/projects/$projectId/runs/$runId" params={{ projectId: run.projectId, runId: run.id }}>
        a run
      </Link>{' '}
      of {run.branch ? <bdi>{run.branch}</bdi> : undefined} <Commit sha={run.commitSha} /> <Time at={run.createdAt} />.
    </>
  )
}

function NoCoverage() {
  return (
    <Empty title="No run measured coverage yet">
      <p>Assay measures coverage when it runs the tests. In a checkout of the project:</p>
      <Snippet label="Command" text="assay run" />
      <p>Runs of your CI show it here, too, if they upload a coverage report such as LCOV, Cobertura or JaCoCo.</p>
    </Empty>
  )
}
