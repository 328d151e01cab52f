import { Link } from '@tanstack/react-router'
import { ShortText } from '../../parts/long-text.tsx'
import { Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { latestByBranch, type PastResult } from './history.ts'

const maxBranches = 20

/** Where the test fails now: a failure on one branch alone is a matter of that branch. */
export function BranchList({ projectId, results }: { projectId: string; results: readonly PastResult[] }) {
  const latest = latestByBranch(results)
  if (latest.length < 2) return undefined
  return (
    <Section title="Latest result by branch">
      <ul className="test-branches plain-list">
        {latest.slice(0, maxBranches).map(({ branch, status, flaky, runId, createdAt }) => (
          <li key={branch}>
            <Status of={flaky ? 'flaky' : status} />
            <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }} preload={false}>
              <ShortText text={branch ?? ''} limit={60} />
            </Link>
            <span className="quiet">
              <Time at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
