import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Page } from '../../parts/page.tsx'
import { lookOf } from '../../parts/status.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/time.tsx'
import { useNames } from '../../parts/who.tsx'
import { useOwnProject } from '../../parts/use-own-project.ts'
import '../../styles/run.css'
import { isActive, startOf, subjectOf } from '../runs/words.ts'
import { ArtifactsTab } from './artifacts-tab.tsx'
import { CoverageTab } from './coverage-tab.tsx'
import { FailuresTab } from './failures-tab.tsx'
import { type Followed, useFollowedRun } from './follow-run.ts'
import { type TabName, tabNames } from './input.ts'
import { LogTab } from './log/log-tab.tsx'
import { PlanTab } from './plan-tab.tsx'
import { ResultsTab } from './results-tab.tsx'
import { RunActions } from './run-actions.tsx'
import type { RunDetail } from './run.ts'
import { RunFacts } from './run-facts.tsx'
import { RunVerdict } from './run-verdict.tsx'

const route = getRouteApi('/projects/$projectId/runs/$runId')

/** Why a run is red, and what to run. */
export function RunPage() {
  const { projectId, runId } = route.useParams()
  const run = useQuery(trpc.testRuns.get.queryOptions({ runId }))
  const isLive = run.data !== undefined && isActive(run.data)
  const followed = useFollowedRun(runId, isLive)
  const nameOf = useNames(projectId)
  const { data } = run
  useOwnProject(data?.projectId)
  const at = data ? (data.branch ?? data.commitSha?.slice(0, 8) ?? '') : ''
  const subject = data ? subjectOf(data) : undefined
  return (
    <Page
      title={<>Run of {at === '' ? 'the tests' : <ShortText text={at} limit={80} />}</>}
      documentTitle={data ? `${lookOf(data.reportedStatus).text}: run of ${at}` : 'Run'}
      actions={data ? <RunActions run={data} /> : undefined}
      lead={
        data ? (
          <>
            {startOf(data, nameOf(data.userId))}, <Time at={data.createdAt} />
            {subject === undefined ? undefined : (
              <>
                {' '}
                · <ShortText text={subject} limit={120} />
              </>
            )}
          </>
        ) : (
          <>&nbsp;</>
        )
      }
    >
      <Loaded query={run}>{(run) => <RunContent projectId={projectId} run={run} followed={followed} />}</Loaded>
    </Page>
  )
}

const titles: Record<TabName, string> = {
  failures: 'Failures',
  results: 'Results',
  log: 'Log',
  artifacts: 'Artifacts',
  plan: 'Plan and timeline',
  coverage: 'Coverage',
}

/** The tab that says why the run is as it is. */
function firstTab(run: RunDetail): TabName {
  if (isActive(run)) return run.source === 'upload' ? 'results' : 'log'
  return run.reportedStatus === 'PASSED' ? 'results' : 'failures'
}

function RunContent({ projectId, run, followed }: { projectId: string; run: RunDetail; followed: Followed }) {
  const { tab = firstTab(run) } = route.useSearch()
  return (
    <>
      <RunVerdict projectId={projectId} run={run} connection={followed.connection} />
      <RunFacts projectId={projectId} run={run} />
      <Tabs label="Parts of the run">
        {tabNames.map((name) => (
          <Link
            key={name}
            from="/projects/$projectId/runs/$runId"
            to="."
            search={(old) => ({ ...old, tab: name })}
            replace
            resetScroll={false}
            className={name === tab ? 'tab active' : 'tab'}
            aria-current={name === tab ? 'page' : undefined}
          >
            {titles[name]}
          </Link>
        ))}
      </Tabs>
      {tab === 'failures' ? <FailuresTab projectId={projectId} run={run} /> : undefined}
      {tab === 'results' ? <ResultsTab projectId={projectId} run={run} /> : undefined}
      {tab === 'log' ? <LogTab run={run} live={followed.log} /> : undefined}
      {tab === 'artifacts' ? <ArtifactsTab projectId={projectId} run={run} /> : undefined}
      {tab === 'plan' ? <PlanTab run={run} /> : undefined}
      {tab === 'coverage' ? <CoverageTab projectId={projectId} run={run} /> : undefined}
    </>
  )
}
