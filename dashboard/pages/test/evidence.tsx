import { Link } from '@tanstack/react-router'
import { Commit } from '../../parts/copy.tsx'
import { Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { errorId } from './error-groups.tsx'
import type { TestDetail } from './types.ts'

type EvidenceRun = TestDetail['evidence'][number]

interface EvidenceProps {
  projectId: string
  test: TestDetail
}

/** The results that the health of the test follows from, newest first. */
export function Evidence({ projectId, test }: EvidenceProps) {
  const { evidence, health } = test
  // For a test that passes, the evidence is its latest pass.
  if (evidence.length === 0 || health === 'healthy' || health === 'stale') return undefined
  return (
    <Section title="Evidence">
      <Table
        label="Evidence"
        columns={columnsOf(projectId, test)}
        rows={evidence.toSorted((one, other) => other.at.localeCompare(one.at))}
        rowKey={({ runId }) => runId}
      />
    </Section>
  )
}

const columnsOf = (projectId: string, { testId, errors }: TestDetail): Column<EvidenceRun>[] => [
  {
    id: 'result',
    title: 'Result',
    cell: ({ runId, failed, fingerprint }) => (
      <Link
        to="/projects/$projectId/runs/$runId"
        params={{ projectId, runId }}
        search={{ tab: 'results', test: testId }}
        preload={false}
      >
        {/* A pass with an error passed only after a failed attempt. */}
        <Status of={failed ? 'failed' : fingerprint === null ? 'passed' : 'retried'} />
      </Link>
    ),
    value: ({ failed }) => (failed ? 'failed' : 'passed'),
  },
  { id: 'commit', title: 'Commit', cell: ({ commit }) => <Commit sha={commit} />, value: ({ commit }) => commit },
  { id: 'when', title: 'When', cell: ({ at }) => <Time at={at} />, value: ({ at }) => at },
  {
    id: 'error',
    title: 'Error',
    cell: ({ fingerprint }) => {
      const place = errors.findIndex((error) => error.fingerprint === fingerprint)
      if (fingerprint === null) return <span className="quiet">–</span>
      if (place === -1) return <code className="quiet">{fingerprint.slice(0, 8)}</code>
      return <a href={`#${errorId(place)}`}>Error {place + 1}</a>
    },
    value: ({ fingerprint }) => fingerprint,
  },
]
