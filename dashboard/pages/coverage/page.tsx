import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Snippet } from '../../parts/copy.tsx'
import { Filters, SelectField } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { formatPercent } from '../../parts/number-text.ts'
import { Empty, Page } from '../../parts/page.tsx'
import { runName } from '../../parts/run-name.ts'
import { Tabs } from '../../parts/tabs.tsx'
import '../../styles/coverage.css'
import { RunTests } from '../runs/run-tests.tsx'
import { Files } from './files.tsx'
import { FolderView } from './folder.tsx'
import { Lead } from './lead.tsx'
import { isWhole, type Run } from './query.ts'
import { useRuns } from './use-runs.ts'

const route = getRouteApi('/projects/$projectId/coverage')

const Trend = lazy(() => import('./trend.tsx'))

export function CoveragePage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { recent, runs, run, history, isSettled, branch } = useRuns(projectId, search.run)
  const runId = search.run ?? run?.id
  return (
    <Page title="Coverage" lead={run ? <Lead run={run} history={history} /> : 'What is untested?'}>
      <Loaded query={recent}>
        {() =>
          runId === undefined ? (
            isSettled ? (
              <NoCoverage projectId={projectId} branch={branch} />
            ) : undefined
          ) : (
            <>
              <Filters>
                <SelectField
                  label="Run"
                  wide
                  any={run && search.run === undefined ? `Latest: ${nameOf(run)}` : 'Latest run'}
                  value={search.run}
                  options={optionsOf(runs, search.run, run)}
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
              {run && history.length > 2 ? (
                <Suspense fallback={<div className="loading" />}>
                  <Trend branch={run.branch} runs={history} />
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

const nameOf = (run: Run) =>
  `${runName({ ...run, isWhole: isWhole(run) })}, ${run.coverage === null ? 'no coverage' : formatPercent(run.coverage)}`

function optionsOf(runs: readonly Run[], chosen: string | undefined, other: Run | undefined) {
  const options = runs.map((run) => [run.id, nameOf(run)] as const)
  if (chosen === undefined || runs.some(({ id }) => id === chosen)) return options
  return [[chosen, other ? nameOf(other) : chosen] as const, ...options]
}

function NoCoverage({ projectId, branch }: { projectId: string; branch: string }) {
  return (
    <Empty title="No run measured coverage yet">
      <p>Assay measures coverage when it runs the tests.</p>
      <RunTests projectId={projectId} branch={branch} />
      <p>Or run them from a checkout of the project:</p>
      <Snippet label="Command" text="assay run" />
      <p>Runs of your CI show it here, too, if they upload a coverage report such as LCOV, Cobertura or JaCoCo.</p>
    </Empty>
  )
}
