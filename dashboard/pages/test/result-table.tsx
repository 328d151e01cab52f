import { Link } from '@tanstack/react-router'
import { Commit } from '../../parts/copy.tsx'
import { VariantTag } from '../../parts/health.tsx'
import { ShortText } from '../../parts/long-text.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { type PastResult, statusOfResult } from './history.ts'

const tones: Partial<Record<string, 'bad' | 'warn'>> = { failed: 'bad', muted: 'warn', retried: 'warn' }

interface TableProps {
  projectId: string
  testId: string
  results: readonly PastResult[]
}

export function ResultTable({ projectId, testId, results }: TableProps) {
  return (
    <Table
      label="Results of the test"
      columns={columnsOf(projectId, testId).filter(
        ({ id }) => id !== 'variant' || results.some(({ variant }) => variant !== ''),
      )}
      rows={results}
      rowKey={({ runId }) => runId}
      tone={(result) => tones[statusOfResult(result)]}
    />
  )
}

function columnsOf(projectId: string, testId: string): Column<PastResult>[] {
  return [
    {
      id: 'status',
      title: 'Result',
      cell: (result) => (
        <Link
          to="/projects/$projectId/runs/$runId"
          params={{ projectId, runId: result.runId }}
          search={{ tab: 'results', test: testId }}
          preload={false}
        >
          <Status of={statusOfResult(result)} />
        </Link>
      ),
      value: statusOfResult,
    },
    {
      id: 'branch',
      title: 'Branch',
      cell: ({ branch }) =>
        branch === null ? <span className="quiet">–</span> : <ShortText text={branch} limit={60} />,
      value: ({ branch }) => branch,
    },
    {
      id: 'variant',
      title: 'Variant',
      cell: ({ variant }) => <VariantTag of={variant} />,
      value: ({ variant }) => variant,
    },
    {
      id: 'commit',
      title: 'Commit',
      cell: ({ commitSha }) => <Commit sha={commitSha} />,
      value: (row) => row.commitSha,
    },
    {
      id: 'when',
      title: 'When',
      cell: ({ ranAt }) => (
        <span className="number">
          <Time at={ranAt} />
        </span>
      ),
      value: ({ ranAt }) => ranAt,
    },
    {
      id: 'duration',
      title: 'Duration',
      align: 'right',
      cell: ({ durationMs }) => <Duration ms={durationMs} />,
      value: ({ durationMs }) => durationMs,
    },
    {
      id: 'message',
      title: 'Message',
      minor: true,
      cell: ({ message }) => (message === null ? undefined : <ShortText text={message} limit={140} />),
      value: ({ message }) => message,
    },
  ]
}
