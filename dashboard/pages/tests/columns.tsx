import { Link } from '@tanstack/react-router'
import { QuarantineTag, VariantTag } from '../../parts/health.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { formatCount, formatPercent, plural } from '../../parts/number-text.ts'
import { Count } from '../../parts/numbers.tsx'
import { Status } from '../../parts/status.tsx'
import type { Column } from '../../parts/table.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { type Test, variantParam } from '../../parts/test-names.ts'

/** The columns of a list of tests. Those of owners appear only if a test has one. */
export function columnsOf(projectId: string, tests: readonly Test[]): Column<Test>[] {
  const hasOwners = tests.some(({ owners }) => owners.length > 0)
  return [
    nameColumn(projectId),
    healthColumn,
    reasonColumn,
    ...(hasOwners ? [ownerColumn] : []),
    failuresColumn,
    impactColumn,
    p50Column,
    lastFailureColumn(projectId),
  ]
}

/** The columns of the slowest tests. */
export function speedColumnsOf(projectId: string, tests: readonly Test[]): Column<Test>[] {
  const hasOwners = tests.some(({ owners }) => owners.length > 0)
  return [nameColumn(projectId), healthColumn, ...(hasOwners ? [ownerColumn] : []), p50Column, p95Column, seenColumn]
}

const healthColumn: Column<Test> = {
  id: 'health',
  title: 'Health',
  cell: ({ health, quarantine }) => (
    <span className="two-lines">
      <Status of={health} />
      <QuarantineTag of={quarantine} />
    </span>
  ),
  value: ({ health, quarantine }) => (quarantine ? `${health}, ${quarantine.mode} ${quarantine.status}` : health),
}

/** Many reporters use the file as the name of its suite. */
export const placeOf = ({ suite, file }: Pick<Test, 'suite' | 'file'>) =>
  [suite === file ? '' : suite, file ?? ''].filter((part) => part !== '').join(' · ')

const nameColumn = (projectId: string): Column<Test> => ({
  id: 'test',
  title: 'Test',
  cell: (test) => (
    <span className="test-name">
      <Link
        to="/projects/$projectId/tests/$testId"
        params={{ projectId, testId: test.testId }}
        search={test.variant === '' ? {} : { variant: variantParam(test.variant) }}
        preload={false}
      >
        <ShortText text={test.name} limit={200} />
      </Link>{' '}
      <VariantTag of={test.variant} />
      <span className="quiet test-place">
        <ShortText text={placeOf(test)} limit={160} />
      </span>
    </span>
  ),
  value: ({ suite, name, variant }) => [suite, name, variant].filter((part) => part !== '').join(' > '),
})

const reasonColumn: Column<Test> = {
  id: 'reason',
  title: 'Reason',
  minor: true,
  cell: ({ health, reason }) => (
    // Of most tests there is nothing to say.
    <span className="summary-cell" title={health === 'healthy' ? undefined : reason}>
      {health === 'healthy' ? <span className="quiet">–</span> : reason}
    </span>
  ),
  value: ({ reason }) => reason,
}

const ownerColumn: Column<Test> = {
  id: 'owner',
  title: 'Owner',
  minor: true,
  cell: ({ owners }) =>
    owners.length === 0 ? <span className="quiet">–</span> : <ShortText text={owners.join(', ')} limit={60} />,
  value: ({ owners }) => owners.join(' '),
}

const failuresColumn: Column<Test> = {
  id: 'failures',
  title: 'Failures',
  align: 'right',
  cell: ({ failures, failureRate }) => (
    <span className="two-lines">
      <Count of={failures} />
      {failureRate > 0 ? (
        <span className="quiet number" title={rateText}>
          {formatPercent(100 * failureRate)}
        </span>
      ) : undefined}
    </span>
  ),
  value: ({ failures }) => failures,
}

/** What the failure rate is a share of. */
export const rateText = 'Share of the results on the default branch that failed or needed a retry'

/** Why a test has its impact: what the number is the product of. */
export const impactText = ({ failures, blockedRuns, blockedPeople }: Test) =>
  `${plural(failures, 'failure')} × (${plural(blockedRuns, 'failed run')} + ${plural(blockedPeople, 'person', 'people')}), in 30 days`

const impactColumn: Column<Test> = {
  id: 'impact',
  title: 'Impact',
  align: 'right',
  cell: (test) => (
    <span className={test.impact === 0 ? 'number quiet' : 'number'} title={impactText(test)}>
      {formatCount(test.impact)}
    </span>
  ),
  value: ({ impact }) => impact,
}

const p50Column: Column<Test> = {
  id: 'p50',
  title: 'Median',
  align: 'right',
  cell: ({ p50Ms }) => <Duration ms={p50Ms} />,
  value: ({ p50Ms }) => p50Ms,
}

const p95Column: Column<Test> = {
  id: 'p95',
  title: '95 % within',
  align: 'right',
  cell: ({ p95Ms }) => <Duration ms={p95Ms} />,
  value: ({ p95Ms }) => p95Ms,
}

const seenColumn: Column<Test> = {
  id: 'seen',
  title: 'Last run',
  align: 'right',
  minor: true,
  cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
  value: ({ lastSeenAt }) => lastSeenAt,
}

const lastFailureColumn = (projectId: string): Column<Test> => ({
  id: 'last',
  title: 'Last failure',
  align: 'right',
  cell: ({ testId, lastFailure }) =>
    lastFailure === null ? (
      <span className="quiet">–</span>
    ) : (
      <Link
        to="/projects/$projectId/runs/$runId"
        params={{ projectId, runId: lastFailure.runId }}
        search={{ tab: 'results', test: testId }}
        preload={false}
      >
        <Time at={lastFailure.at} />
      </Link>
    ),
  value: ({ lastFailure }) => lastFailure?.at,
})
