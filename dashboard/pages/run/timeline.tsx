import { ShortText } from '../../parts/long-text.tsx'
import { Count } from '../../parts/numbers.tsx'
import { Status } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Duration } from '../../parts/time.tsx'

/** A step of the run, or a shard of an upload, and when it ran. */
export interface TimelineEntry {
  label: string
  kind: string
  startedAt: string
  durationMs: number
  tests: number | null
  outcome: string | null
}

/** What the time of the run consisted of: a bar for each step or shard. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const start = Math.min(...entries.map(({ startedAt }) => Date.parse(startedAt)))
  const end = Math.max(...entries.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs))
  return (
    <Table
      label="Timeline"
      columns={columnsOf(start, Math.max(1, end - start))}
      rows={entries}
      rowKey={({ label, startedAt }) => `${startedAt} ${label}`}
    />
  )
}

function columnsOf(start: number, total: number): Column<TimelineEntry>[] {
  const offsetOf = ({ startedAt }: TimelineEntry) => Date.parse(startedAt) - start
  return [
    {
      id: 'label',
      title: 'Step',
      cell: ({ label, kind }) => (
        <>
          <ShortText text={label} limit={120} /> <span className="quiet">{kind}</span>
        </>
      ),
      value: ({ label }) => label,
    },
    {
      id: 'bar',
      title: 'Time',
      cell: (entry) => (
        <span className="timeline-track" aria-hidden="true">
          <span
            className={`timeline-bar kind-${entry.kind}`}
            style={{
              left: `${(100 * offsetOf(entry)) / total}%`,
              width: `${(100 * entry.durationMs) / total}%`,
            }}
          />
        </span>
      ),
    },
    {
      id: 'start',
      title: 'Starts after',
      align: 'right',
      minor: true,
      cell: (entry) => <Duration ms={offsetOf(entry)} />,
      value: offsetOf,
    },
    {
      id: 'duration',
      title: 'Duration',
      align: 'right',
      cell: ({ durationMs }) => <Duration ms={durationMs} />,
      value: ({ durationMs }) => durationMs,
    },
    {
      id: 'tests',
      title: 'Tests',
      align: 'right',
      minor: true,
      cell: ({ tests }) => (tests === null ? undefined : <Count of={tests} />),
      value: ({ tests }) => tests,
    },
    {
      id: 'outcome',
      title: 'Outcome',
      cell: ({ outcome }) => (outcome === null ? undefined : <Status of={outcome} />),
      value: ({ outcome }) => outcome,
    },
  ]
}
