import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Outputs, trpc } from '../../api.ts'
import { Commit } from '../../parts/copy.tsx'
import { Filters, SearchField, SelectField } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { formatPercent, plural } from '../../parts/number-text.ts'
import { Percent } from '../../parts/numbers.tsx'
import { Facts, Page } from '../../parts/page.tsx'
import { RunStrip } from '../../parts/run-strip.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { periods, trendsInput } from './input.ts'
import { LatestSteps } from './latest-steps.tsx'
import { NextSteps } from './next-steps.tsx'
import { RepositoryProblem } from './repository-problem.tsx'
import { TrendPlots } from './trend-plots.tsx'

type Trends = Outputs['projects']['trends']
type HealthCounts = Outputs['tests']['list']['counts']

const route = getRouteApi('/projects/$projectId/')

/** Whether a branch is healthy and since when, with the course of the runs. */
export function ProjectPage() {
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const project = useQuery(trpc.projects.getProject.queryOptions({ projectId }))
  const branches = useQuery(trpc.projects.branches.queryOptions({ projectId }, { staleTime: 60_000 }))
  const trends = useQuery(
    trpc.projects.trends.queryOptions(trendsInput(projectId, search), {
      placeholderData: keepPreviousData,
      refetchInterval: 30_000,
    }),
  )
  const filter = (change: Partial<typeof search>) => void navigate({ search: { ...search, ...change }, replace: true })
  return (
    <Page
      title={project.data?.name ?? 'Project'}
      lead={project.data && (project.data.description ?? project.data.repository)}
      actions={
        <Link className="button" to="/projects/$projectId/suggestions" params={{ projectId }}>
          What to test
        </Link>
      }
    >
      <Filters>
        <SearchField
          label="Branch"
          value={search.branch ?? project.data?.branch}
          suggestions={branches.data?.branches.map(({ name }) => name) ?? []}
          onChange={(branch) => filter({ branch: branch === project.data?.branch ? undefined : branch })}
        />
        <SelectField
          label="Period"
          value={search.days}
          any="30 days"
          options={periods.filter((days) => days !== '30').map((days) => [days, `${days} days`] as const)}
          onChange={(days) => filter({ days: periods.find((each) => each === days) })}
        />
      </Filters>
      <Loaded query={trends}>
        {(data) =>
          data.runs.length === 0 ? (
            <>
              <RepositoryProblem projectId={projectId} />
              <NextSteps projectId={projectId} branch={data.branch} />
            </>
          ) : (
            <>
              <Verdict trends={data} projectId={projectId} />
              <div className="card strip-card">
                <RunStrip projectId={projectId} runs={data.runs.slice(0, 60)} />
                <span className="quiet">
                  {plural(Math.min(60, data.runs.length), 'latest run')} of {data.branch}, newest at the right
                </span>
              </div>
              <TrendPlots trends={data} />
              <LatestSteps projectId={projectId} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const sentences = { passing: 'has passed', failing: 'has failed', error: 'has had no result' } as const

function Verdict({ trends: { current, branch, runs, days }, projectId }: { trends: Trends; projectId: string }) {
  const [latest] = runs
  const coverage = runs.find((run) => run.coverage !== null)
  const counted = days.reduce((sum, day) => sum + day.passed + day.failed + day.errors, 0)
  const passed = days.reduce((sum, day) => sum + day.passed, 0)
  const tests = useQuery(trpc.tests.list.queryOptions({ projectId, limit: 1 }, { staleTime: 30_000 }))
  return (
    <>
      <p className="headline">
        {current ? (
          <>
            <Status of={current.status} text={`${branch} ${sentences[current.status]}`} /> since commit{' '}
            <Commit sha={current.since.commitSha} />, <Time at={current.since.createdAt} /> (
            <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: current.since.runId }}>
              {current.runs === 1 ? 'the latest run' : `${current.runs} runs`}
            </Link>
            )
          </>
        ) : (
          `No run of ${branch} has ended yet.`
        )}
      </p>
      <Facts
        of={[
          latest && [
            'Latest run',
            <Link key="run" to="/projects/$projectId/runs/$runId" params={{ projectId, runId: latest.runId }}>
              <Status of={latest.reportedStatus} /> <Time at={latest.createdAt} />
            </Link>,
          ],
          latest && [
            'Tests',
            `${latest.failedTests > 0 ? `${plural(latest.failedTests, 'failure')} in ` : ''}${plural(latest.totalTests, 'test')}${mutedText(latest)}`,
          ],
          tests.data && [
            'Health of the tests',
            <TestHealth key="health" projectId={projectId} counts={tests.data.counts} />,
          ],
          ['Coverage of lines', <Percent key="coverage" of={coverage?.coverage} />],
          ['Runs that passed', counted === 0 ? '–' : `${formatPercent((100 * passed) / counted)} of ${counted}`],
        ]}
      />
    </>
  )
}

const mutedText = ({ mutedTests }: Trends['runs'][number]) => (mutedTests > 0 ? `, ${mutedTests} failed but muted` : '')

/** The tests that need someone, with links to them. */
function TestHealth({ projectId, counts }: { projectId: string; counts: HealthCounts }) {
  const trouble = (['broken', 'flaky'] as const).filter((health) => counts[health] > 0)
  if (trouble.length === 0) {
    return (
      <Link to="/projects/$projectId/tests" params={{ projectId }}>
        none flaky or broken
      </Link>
    )
  }
  return (
    <span className="row">
      {trouble.map((health) => (
        <Link key={health} to="/projects/$projectId/tests" params={{ projectId }} search={{ health }}>
          <Status of={health} text={`${counts[health]} ${health}`} />
        </Link>
      ))}
    </span>
  )
}
