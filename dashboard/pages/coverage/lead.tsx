import { Link } from '@tanstack/react-router'
import { Commit } from '../../parts/copy.tsx'
import { formatPercent } from '../../parts/number-text.ts'
import { Change } from '../../parts/numbers.tsx'
import { Time } from '../../parts/time.tsx'
import { isWhole, type Run } from './query.ts'

/**
 * The answer in a line: how much is covered, and how that changed since the run before.
 *
 * @param history - the whole runs of the branch, newest first
 */
export function Lead({ run, history }: { run: Run; history: readonly Run[] }) {
  return (
    <>
      {run.coverage === null ? (
        'This run measured no coverage.'
      ) : (
        <>
          <strong className="number">{formatPercent(run.coverage)}</strong> of the lines are covered
          <SinceBefore run={run} history={history} />.
        </>
      )}{' '}
      Measured by{' '}
      <Link to="/projects/$projectId/runs/$runId" params={{ projectId: run.projectId, runId: run.id }}>
        {isWhole(run) ? 'a run' : 'a run of only some tests'}
      </Link>{' '}
      of {run.branch ? <bdi>{run.branch}</bdi> : undefined} <Commit sha={run.commitSha} /> <Time at={run.createdAt} />.
    </>
  )
}

/** Nothing for a run of only some tests: the other tests may cover the difference. */
function SinceBefore({ run, history }: { run: Run; history: readonly Run[] }) {
  const before = isWhole(run) ? history.find(({ createdAt }) => createdAt < run.createdAt)?.coverage : undefined
  const by = before != null && run.coverage !== null ? run.coverage - before : 0
  if (Math.abs(by) < 0.05) return undefined
  return (
    <>
      {' '}
      <Change by={by} /> since the run before
    </>
  )
}
