import { Link } from '@tanstack/react-router'
import { ShortText } from '../../parts/long-text.tsx'
import { formatCount, formatPercent } from '../../parts/number-text.ts'
import { Count } from '../../parts/numbers.tsx'
import { Facts } from '../../parts/page.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { impactText, rateText } from '../tests/columns.tsx'
import type { TestDetail } from './types.ts'

/** What the test cost in the last 30 days, how fast it is, and whose it is. */
export function TestFacts({ projectId, test }: { projectId: string; test: TestDetail }) {
  const { failures, failureRate, impact, p50Ms, p95Ms, owners, lastFailure, testId } = test
  return (
    <Facts
      of={[
        ['Failed or retried in 30 days', <Count key="failures" of={failures} />],
        [
          'Failure rate',
          <span key="rate" title={rateText}>
            {formatPercent(100 * failureRate)}
          </span>,
        ],
        [
          'Impact',
          <span key="impact" className="number" title={impactText(test)}>
            {formatCount(impact)}
          </span>,
        ],
        impact > 0 && ['Failed runs, people', `${formatCount(test.blockedRuns)}, ${formatCount(test.blockedPeople)}`],
        ['Median', <Duration key="p50" ms={p50Ms} />],
        ['95 % within', <Duration key="p95" ms={p95Ms} />],
        owners.length > 0 && ['Owners', <ShortText key="owners" text={owners.join(', ')} limit={120} />],
        lastFailure !== null && [
          'Last failure',
          <Link
            key="failure"
            to="/projects/$projectId/runs/$runId"
            params={{ projectId, runId: lastFailure.runId }}
            search={{ tab: 'results', test: testId }}
            preload={false}
          >
            <Time at={lastFailure.at} />
          </Link>,
        ],
        ['Known since', <Time key="first" at={test.firstSeenAt} />],
        ['Last run', <Time key="last" at={test.lastSeenAt} />],
      ]}
    />
  )
}
