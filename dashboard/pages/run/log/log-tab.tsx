import { getRouteApi } from '@tanstack/react-router'
import { Loaded } from '../../../parts/loaded.tsx'
import { Empty } from '../../../parts/page.tsx'
import { isActive } from '../../runs/words.ts'
import type { LiveLog } from '../follow-run.ts'
import type { RunDetail } from '../run.ts'
import { LogView } from './log-view.tsx'
import { useLogLength } from './use-log.ts'

const route = getRouteApi('/projects/$projectId/runs/$runId')

/** The output of the run's commands. */
export function LogTab({ run, live }: { run: RunDetail; live: LiveLog | undefined }) {
  const { line, find } = route.useSearch()
  const { total = 0, query } = useLogLength(run, live)
  return (
    <Loaded query={query}>
      {() =>
        total === 0 ? (
          <Empty title="There is no log">
            <p>{emptyReason(run)}</p>
          </Empty>
        ) : (
          <LogView run={run} live={live} total={total} line={line} find={find} />
        )
      }
    </Loaded>
  )
}

function emptyReason(run: RunDetail): string {
  if (run.source === 'upload') return 'The tests ran elsewhere. Their CI job has the log.'
  return isActive(run) ? 'The first lines appear here as soon as the run starts.' : 'The run ended before its commands.'
}
