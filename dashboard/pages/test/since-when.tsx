import { Link } from '@tanstack/react-router'
import { Commit } from '../../parts/copy.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { plural } from '../../parts/number-text.ts'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import type { History } from './history.ts'

interface SinceProps {
  projectId: string
  since: NonNullable<History['since']>
}

/** Since which run the test fails. */
export function SinceWhen({ projectId, since }: SinceProps) {
  const { runId, commitSha, branch, ranAt, runs } = since
  return (
    <p className="row">
      <Status of="failing" />
      <span>
        Has failed since{' '}
        <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }} preload={false}>
          the run{commitSha === null ? '' : ' of '}
          {commitSha === null ? undefined : <Commit sha={commitSha} />}
        </Link>
        {branch === null ? undefined : (
          <>
            {' '}
            on <ShortText text={branch} limit={60} />
          </>
        )}{' '}
        <Time at={ranAt} />
        {runs > 1 ? `, in ${plural(runs, 'run')} in a row` : ''}.
      </span>
    </p>
  )
}
