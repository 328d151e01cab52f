import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Commit } from '../../parts/copy.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Count, Percent } from '../../parts/numbers.tsx'
import { Facts } from '../../parts/page.tsx'
import { Duration } from '../../parts/time.tsx'
import type { RunDetail } from './run.ts'

export function RunFacts({ projectId, run }: { projectId: string; run: RunDetail }) {
  const { branch, commitSha, snapshotId, source, pullRequest, rerunOf } = run
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
        snapshotId !== null
          ? ['Tested', 'a working tree']
          : source === 'upload' && commitSha === null
            ? ['Tested', 'uncommitted changes']
            : ['Commit', <Commit key="commit" sha={commitSha} />],
        pullRequest !== null && ['Pull request', `#${pullRequest}`],
        rerunOf !== null && [
          'Reruns',
          <Link key="run" to="/projects/$projectId/runs/$runId" params={{ projectId, runId: rerunOf }}>
            the failed tests of an earlier run
          </Link>,
        ],
        hasTests && ['Failed', <Count key="failed" of={run.failedTests} />],
        run.mutedTests > 0 && ['Failed but muted', <Count key="muted" of={run.mutedTests} />],
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

/** The time since the start of a run, which changes every second. */
function Elapsed({ run: { startedAt, completedAt } }: { run: RunDetail }) {
  const [now, setNow] = useState(Date.now)
  const isRunning = startedAt !== null && completedAt === null
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isRunning])
  if (startedAt === null) return <Duration ms={null} />
  const end = completedAt === null ? Math.max(now, Date.parse(startedAt)) : Date.parse(completedAt)
  const seconds = Math.floor((end - Date.parse(startedAt)) / 1_000)
  return (
    <span className="number">
      {seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`}
    </span>
  )
}
