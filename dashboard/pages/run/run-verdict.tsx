import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Commit, Snippet } from '../../parts/copy.tsx'
import { LongText, ShortText } from '../../parts/long-text.tsx'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Change } from '../../parts/numbers.tsx'
import { Prose } from '../../parts/prose.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { useNotices } from '../../shell/notices.ts'
import { isActive } from '../runs/words.ts'
import { useDigest } from './digest.ts'
import { ErrorOutcome } from './error-outcome.tsx'
import type { Followed } from './follow-run.ts'
import { type Digest, phases, type RunDetail } from './run.ts'

interface VerdictProps {
  projectId: string
  run: RunDetail
  connection: Followed['connection']
}

/** The status of a run, the sentence that matters, and the command that runs its failures again. */
export function RunVerdict({ projectId, run, connection }: VerdictProps) {
  const { data: digest } = useDigest(run)
  const { hasSessionEnded } = useNotices()
  return (
    <section className="verdict card" aria-label="Outcome">
      <div className="verdict-head" aria-live="polite">
        <Status of={run.reportedStatus} />
        <p>{isActive(run) ? <Activity run={run} /> : <Outcome projectId={projectId} run={run} digest={digest} />}</p>
      </div>
      {connection === 'lost' && !hasSessionEnded ? (
        <p className="hint" role="status">
          The connection to the server was lost. The page reconnects by itself.
        </p>
      ) : undefined}
      {run.error ? <LongText text={run.error.message} label="Error" limit={1_500} /> : undefined}
      {run.warnings.length > 0 ? (
        <ul className="verdict-warnings tone-warn">
          {run.warnings.map((warning) => (
            <li key={warning}>
              <Prose text={warning} />
            </li>
          ))}
        </ul>
      ) : undefined}
      {digest?.rerun?.command ? (
        <div className="verdict-rerun">
          <span className="hint">Run the failed tests in a checkout:</span>
          <Snippet text={digest.rerun.command} label="Command that runs the failed tests" />
        </div>
      ) : undefined}
    </section>
  )
}

/** What a run that has not ended waits for or does. */
function Activity({ run: { queue, progress } }: { run: RunDetail }) {
  if (queue) {
    return (
      <>
        Number {formatCount(queue.position)} in the queue. {queue.reason}
      </>
    )
  }
  if (!progress) return <>Waiting for a worker.</>
  return (
    <>
      {phases[progress.phase]}
      {progress.command === null ? undefined : (
        <>
          : <code>{progress.command.slice(0, 300)}</code>
        </>
      )}
    </>
  )
}

interface OutcomeProps {
  projectId: string
  run: RunDetail
  digest: Digest | undefined
}

function Outcome({ projectId, run, digest }: OutcomeProps) {
  if (run.reportedStatus === 'CANCELLED') return <>The run was cancelled.</>
  if (run.reportedStatus === 'ERROR') return <ErrorOutcome projectId={projectId} run={run} />
  // Without results, the digest compares nothing.
  if (!digest || run.resultsDeleted) {
    const failed = run.failedTests > 0 ? `${plural(run.failedTests, 'test')} failed.` : `${passedText(run)}.`
    return (
      <>
        {failed}
        {mutedText(run)}
      </>
    )
  }
  const { comparedWith, newFailures, stillFailing, fixed, passedAfterRetry, leftOutByQuarantine } = digest
  const parts: ReactNode[] = []
  if (newFailures > 0) {
    // Without an earlier run, nothing is new.
    parts.push(<strong key="new">{plural(newFailures, comparedWith ? 'new failure' : 'failure')}</strong>)
  }
  if (stillFailing > 0) parts.push(`${formatCount(stillFailing)} still failing`)
  if (fixed.count > 0) parts.push(<strong key="fixed">{formatCount(fixed.count)} fixed</strong>)
  if (run.failedTests === 0) parts.unshift(passedText(run))
  const change =
    run.coverage !== null && typeof comparedWith?.coverage === 'number' ? run.coverage - comparedWith.coverage : 0
  return (
    <>
      {parts.map((part, at) => (
        <span key={at}>
          {at > 0 ? ', ' : ''}
          {part}
        </span>
      ))}
      {comparedWith ? (
        <>
          , compared with{' '}
          <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: comparedWith.runId }} preload={false}>
            the run{comparedWith.commitSha === null ? '' : ' of '}
            {comparedWith.commitSha === null ? undefined : <Commit sha={comparedWith.commitSha} />}
          </Link>{' '}
          {comparedWith.branch !== null && comparedWith.branch !== run.branch ? (
            <>
              on <ShortText text={comparedWith.branch} limit={60} />{' '}
            </>
          ) : undefined}
          <Time at={comparedWith.createdAt} />.
        </>
      ) : (
        '. No earlier run to compare with.'
      )}
      {mutedText(run)}
      {leftOutByQuarantine.count > 0 ? ` ${plural(leftOutByQuarantine.count, 'test')} left out by quarantine.` : ''}
      {passedAfterRetry.count > 0 ? ` ${plural(passedAfterRetry.count, 'test')} passed only after a retry.` : ''}
      {Math.abs(change) >= 0.005 ? (
        <>
          {' '}
          Coverage <Change by={change} />.
        </>
      ) : undefined}
    </>
  )
}

function passedText({ totalTests, passedTests, skippedTests }: RunDetail): string {
  if (totalTests === 0) return 'No tests, only coverage'
  if (passedTests === totalTests) return `All ${plural(totalTests, 'test')} passed`
  const skipped = skippedTests === 0 ? '' : `, ${formatCount(skippedTests)} skipped`
  return `${plural(passedTests, 'test')} passed${skipped}`
}

/** Failures that do not decide the status of the run. */
const mutedText = ({ mutedTests }: RunDetail) =>
  mutedTests === 0 ? '' : ` ${plural(mutedTests, 'test')} failed but ${mutedTests === 1 ? 'is' : 'are'} muted.`
