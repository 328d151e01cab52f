import { useQuery } from '@tanstack/react-query'
import { trpc } from '../../api.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { formatCount } from '../../parts/number-text.ts'
import { Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import type { Organization } from './tabs.ts'

/** The plan of the organization, and how much of it is used. */
export function PlanTab({ organization }: { organization: Organization }) {
  const plan = useQuery(trpc.billing.getPlan.queryOptions({ organizationId: organization.id }))
  return (
    <Loaded query={plan}>
      {({ plan: name, status, currentPeriodEnd, limits, usage }) => (
        <div className="stack">
          <Facts
            of={[
              ['Plan', name],
              status !== null && ['Subscription', status.replaceAll('_', ' ')],
              currentPeriodEnd !== null && ['Current period ends', <Time key="end" at={currentPeriodEnd} />],
              ['Members and invitations', <Usage key="members" used={usage.members} limit={limits.members} />],
              ['Projects', <Usage key="projects" used={usage.projects} limit={limits.projects} />],
            ]}
          />
          <p className="hint">
            At a limit, new members and projects are refused. A change to a smaller plan removes nothing.
          </p>
        </div>
      )}
    </Loaded>
  )
}

function Usage({ used, limit }: { used: number; limit: number | null }) {
  if (limit === null) return <span className="number">{formatCount(used)}, no limit</span>
  return (
    <span className="percent">
      <meter className="meter" min={0} max={limit} value={Math.min(used, limit)} aria-hidden="true" />
      <span className={used >= limit ? 'number tone-warn' : 'number'}>
        {formatCount(used)} of {formatCount(limit)}
        {used >= limit ? ', full' : ''}
      </span>
    </span>
  )
}
