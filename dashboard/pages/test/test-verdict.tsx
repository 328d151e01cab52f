import { Link } from '@tanstack/react-router'
import { Commit } from '../../parts/copy.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { formatCount, plural } from '../../parts/numbers.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { type History, judge } from './history.ts'

/** Flaky, broken or passing, in a sentence. */
export function TestVerdict({ projectId, history }: { projectId: string; history: History }) {
  const { totals, since } = history
  const { kind, changes } = judge(history)
  return (
    <p className="test-verdict card">
      <Status of={kind === 'skipped' ? 'skipped' : kind} />
      <span>
        {kind === 'flaky' ? `${flakyText(totals, changes)} ` : undefined}
        {since ? (
          <>
            Has failed since{' '}
            <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: since.runId }} preload={false}>
              the run{since.commitSha === null ? '' : ' of '}
              {since.commitSha === null ? undefined : <Commit sha={since.commitSha} />}
            </Link>
            {since.branch === null ? undefined : (
              <>
                {' '}
                on <ShortText text={since.branch} limit={60} />
              </>
            )}{' '}
            <Time at={since.createdAt} />, in {plural(since.runs, 'run')} in a row.
          </>
        ) : kind === 'passing' ? (
          totals.failed === 0 ? (
            `Passed in all ${plural(totals.passed, 'run')}.`
          ) : (
            `Failed in ${formatCount(totals.failed)} of ${plural(totals.runs, 'run')}.`
          )
        ) : kind === 'skipped' ? (
          'Skipped in every run.'
        ) : (
          'Passed in the latest run.'
        )}
      </span>
    </p>
  )
}

function flakyText({ failed, runs, flaky }: History['totals'], changes: number): string {
  const retried = flaky === 0 ? '' : `, and passed only after a retry in ${formatCount(flaky)}`
  return `Changed ${plural(changes, 'time')} between passing and failing; failed in ${formatCount(failed)} of ${plural(runs, 'run')}${retried}.`
}
