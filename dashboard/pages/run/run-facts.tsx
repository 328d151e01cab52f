import { Link } from '@tanstack/react-router'
import { Commit } from '../../parts/copy.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Count, Percent } from '../../parts/numbers.tsx'
import { Facts } from '../../parts/page.tsx'
import { Duration, formatDuration, useNow } from '../../parts/time.tsx'
import type { RunDetail } from './run.ts'

export function RunFacts({ projectId, run }: { projectId: string; run: RunDetail }) {
  const { branch, commitSha, snapshotId, pullRequest, rerunOf } = run
  const hasTests = run.totalTests > 0
  return (
    <Facts
      of={[
        branch !== null && [
          'Branch',
          <Link key="branch" to="/projects/$projectId/runs" params={{ projectId }} search={{ branch }}>
            <ShortText text={branch} limit={60} />
          </Link>,
        ],
        snapshotId === null ? ['Commit', <Commit key="commit" sha={commitSha} />] : ['Tested', 'a working tree'],
        pullRequest !== null && ['Pull request', `#${pullRequest}`],
        rerunOf !== null && [
          'Failed tests of',
          <Link key="run" to="/projects/$projectId/runs/$runId" params={{ projectId, runId: rerunOf }}>
            an earlier run
          </Link>,
        ],
        hasTests && ['Failed', <Count key="failed" of={run.failedTests} />],
        hasTests && ['Passed', <Count key="passed" of={run.passedTests} />],
        hasTests && ['Skipped', <Count key="skipped" of={run.skippedTests} />],
        hasTests && ['Flaky', <Count key="flaky" of={run.flakyTests} />],
        run.coverage !== null && ['Coverage', <Percent key="coverage" of={run.coverage} />],
        ['Duration', run.duration === null ? <Elapsed key="duration" run={run} /> : <Duration ms={run.duration} />],
        run.executor !== null && ['Executor', run.executor],
      ]}
    />
  )
}

function Elapsed({ run: { startedAt, completedAt } }: { run: RunDetail }) {
  const now = useNow()
  if (startedAt === null) return <Duration ms={null} />
  const end = completedAt === null ? Math.max(now, Date.parse(startedAt)) : Date.parse(completedAt)
  return <span className="number">{formatDuration(end - Date.parse(startedAt))}</span>
}
