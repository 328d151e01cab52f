import { Link } from '@tanstack/react-router'
import { Loaded } from '../../parts/loaded.tsx'
import { LongText, ShortText } from '../../parts/long-text.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Empty, Section } from '../../parts/page.tsx'
import { isActive } from '../runs/words.ts'
import { DeletedResults } from './deleted-results.tsx'
import { useDigest } from './digest.ts'
import { FailureGroupView } from './failure-group.tsx'
import type { Digest, RunDetail } from './run.ts'

/** Why the run is red: failures by cause, new ones first. */
export function FailuresTab({ projectId, run }: { projectId: string; run: RunDetail }) {
  const digest = useDigest(run)
  if (isActive(run)) {
    return (
      <Empty title="The run has not ended">
        <p>Failures appear here at its end. The log shows what it does now.</p>
      </Empty>
    )
  }
  return <Loaded query={digest}>{(digest) => <Failures projectId={projectId} run={run} digest={digest} />}</Loaded>
}

function Failures({ projectId, run, digest }: { projectId: string; run: RunDetail; digest: Digest }) {
  const { groups, leftOut, fixed, passedAfterRetry, muted, leftOutByQuarantine, error, comparedWith } = digest
  if (run.resultsDeleted) return <DeletedResults projectId={projectId} run={run} />
  const hasNone = groups.length === 0 && error === null
  return (
    <>
      {error && error.log.length > 0 ? (
        <Section title="End of the log">
          <LongText text={error.log.join('\n')} label="End of the log" limit={8_000} />
        </Section>
      ) : undefined}
      {hasNone ? (
        <Empty title={muted.count > 0 ? 'No failure decides' : 'No test failed'}>
          <p>
            {run.reportedStatus === 'CANCELLED'
              ? 'The run was cancelled before its end.'
              : muted.count > 0
                ? 'The tests that failed are in quarantine.'
                : 'Nothing to repair here.'}
          </p>
        </Empty>
      ) : undefined}
      <div className="failure-groups">
        {groups.map((group, at) => (
          <FailureGroupView
            key={`${at} ${group.message}`}
            projectId={projectId}
            run={run}
            group={group}
            isCompared={comparedWith !== null}
          />
        ))}
      </div>
      {leftOut.groups > 0 || leftOut.tests > 0 ? (
        <p>
          {plural(leftOut.groups, 'more cause')} with {plural(leftOut.tests, 'test')} did not fit here.{' '}
          <Link
            from="/projects/$projectId/runs/$runId"
            to="."
            search={(old) => ({ ...old, tab: 'results' as const, status: 'failed' as const })}
          >
            All failed tests
          </Link>
        </p>
      ) : undefined}
      <Names title="Failed but muted" of={muted} />
      <Names title="Left out by quarantine" of={leftOutByQuarantine} />
      <Names title="Fixed" of={fixed} />
      <Names title="Passed after a retry" of={passedAfterRetry} />
    </>
  )
}

function Names({ title, of: { count, tests, leftOut } }: { title: string; of: Digest['fixed'] }) {
  if (count === 0) return undefined
  return (
    <details className="names" open={count <= 10}>
      <summary>
        {title} ({formatCount(count)})
      </summary>
      <ul>
        {tests.map((test, at) => (
          <li key={`${at} ${test}`}>
            <ShortText text={test} limit={300} />
          </li>
        ))}
        {leftOut > 0 ? <li className="quiet">and {formatCount(leftOut)} more</li> : undefined}
      </ul>
    </details>
  )
}
