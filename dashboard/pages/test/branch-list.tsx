import { Link } from '@tanstack/react-router'
import { ShortText } from '../../parts/long-text.tsx'
import { Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { latestByBranch, type PastResult, statusOfResult } from './history.ts'

const maxBranches = 20

/** Where the test fails now: a failure on one branch alone is a matter of that branch. */
export function BranchList({ projectId, results }: { projectId: string; results: readonly PastResult[] }) {
  const latest = latestByBranch(results)
  if (latest.length < 2) return undefined
  return (
    <Section title="Latest result by branch">
      <ul className="test-branches plain-list">
        {latest.slice(0, maxBranches).map((result) => (
          <li key={result.branch}>
            <Status of={statusOfResult(result)} />
            <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: result.runId }} preload={false}>
              <ShortText text={result.branch ?? ''} limit={60} />
            </Link>
            <span className="quiet">
              <Time at={result.ranAt} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
