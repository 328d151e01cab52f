import { Count } from '../../parts/numbers.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { formatDuration } from '../../parts/time-text.ts'
import { isShort, type QueueRow } from './queues.ts'

export function QueueTable({ rows }: { rows: readonly QueueRow[] }) {
  return (
    <Table
      label="Queues of the server"
      columns={columns}
      rows={rows}
      rowKey={({ name }) => name}
      tone={(row) => (isShort(row) ? 'warn' : undefined)}
    />
  )
}

const columns: Column<QueueRow>[] = [
  { id: 'name', title: 'Queue', cell: ({ name }) => name, value: ({ name }) => name },
  {
    id: 'waiting',
    title: 'Waiting',
    align: 'right',
    cell: ({ waiting }) => <Count of={waiting} />,
    value: ({ waiting }) => waiting,
  },
  {
    id: 'running',
    title: 'Running',
    align: 'right',
    cell: ({ running }) => <Count of={running} />,
    value: ({ running }) => running,
  },
  {
    id: 'capacity',
    title: 'At a time',
    align: 'right',
    minor: true,
    cell: ({ running, capacity }) =>
      capacity === null ? (
        <span className="quiet">–</span>
      ) : (
        <span className="percent">
          <meter className="meter" min={0} max={capacity} value={Math.min(running, capacity)} aria-hidden="true" />
          <Count of={capacity} />
        </span>
      ),
    value: ({ capacity }) => capacity,
  },
  {
    id: 'wait',
    title: 'Oldest wait',
    align: 'right',
    cell: ({ oldestWaitSeconds }) =>
      oldestWaitSeconds === null ? (
        <span className="quiet">–</span>
      ) : (
        <span className="number">{formatDuration(oldestWaitSeconds * 1_000)}</span>
      ),
    value: ({ oldestWaitSeconds }) => oldestWaitSeconds,
  },
]
