import { useState } from 'react'
import { formatCount, plural } from '../../parts/number-text.ts'
import { Count } from '../../parts/numbers.tsx'
import { Section } from '../../parts/page.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Duration } from '../../parts/time.tsx'
import { cellsOf, type DayCell, pitch, type TestDay } from './day-cells.ts'
import type { TestDetail } from './types.ts'

/** The days on which the test ran, as a calendar with a column for each week, and as a table. */
export function Days({ test: { days } }: { test: TestDetail }) {
  const [isOpen, setOpen] = useState(false)
  if (days.length === 0) return undefined
  const failing = days.filter(({ failures, muted }) => failures + muted > 0).length
  const { cells, weeks, height } = cellsOf(days)
  const width = weeks * pitch
  return (
    <Section title="Days">
      <div className="test-days">
        <div className="day-calendar" style={{ width: `${width}px` }}>
          <svg
            className="day-cells"
            viewBox={`0 0 ${width} ${height}`}
            style={{ width: `${width}px` }}
            role="img"
            aria-label={`${plural(days.length, 'day')} with runs, ${failing} with failures; the table below has the counts`}
          >
            {cells.map((cell) => (
              <Cell key={cell.day} cell={cell} />
            ))}
          </svg>
          <p className="strip-ends hint number">
            <span>{days[0]?.day}</span>
            <span>{days.at(-1)?.day}</span>
          </p>
        </div>
        <p className="hint">
          A column is a week. The higher a day is filled, the larger the share of failures; a dashed frame means that
          they were muted. Today is not counted yet.
        </p>
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Table of {plural(days.length, 'day')}</summary>
          {isOpen ? (
            <Table label="Days" columns={columns} rows={days.toReversed()} rowKey={({ day }) => day} tone={toneOf} />
          ) : undefined}
        </details>
      </div>
    </Section>
  )
}

function Cell({ cell: { x, y, size, filled, look, text } }: { cell: DayCell }) {
  return (
    <g>
      <title>{text}</title>
      <rect className={`day-cell ${look}`} x={x} y={y} width={size} height={size} rx="1.5" />
      {filled > 0 ? (
        <rect className={`day-fill ${look}`} x={x} y={y + size - filled} width={size} height={filled} rx="1" />
      ) : undefined}
    </g>
  )
}

const toneOf = ({ failures, retried }: TestDay) => (failures > 0 ? 'bad' : retried > 0 ? 'warn' : undefined)

const columns: readonly Column<TestDay>[] = [
  { id: 'day', title: 'Day', cell: ({ day }) => <span className="number">{day}</span>, value: ({ day }) => day },
  { id: 'runs', title: 'Runs', align: 'right', cell: ({ runs }) => formatCount(runs), value: ({ runs }) => runs },
  {
    id: 'failures',
    title: 'Failed',
    align: 'right',
    cell: ({ failures }) => <Count of={failures} />,
    value: ({ failures }) => failures,
  },
  {
    id: 'muted',
    title: 'Muted',
    align: 'right',
    cell: ({ muted }) => <Count of={muted} />,
    value: ({ muted }) => muted,
  },
  {
    id: 'retried',
    title: 'Retried',
    align: 'right',
    cell: ({ retried }) => <Count of={retried} />,
    value: ({ retried }) => retried,
  },
  {
    id: 'p50',
    title: 'Median',
    align: 'right',
    cell: ({ p50Ms }) => <Duration ms={p50Ms} />,
    value: ({ p50Ms }) => p50Ms,
  },
  {
    id: 'p95',
    title: '95 % within',
    align: 'right',
    cell: ({ p95Ms }) => <Duration ms={p95Ms} />,
    value: ({ p95Ms }) => p95Ms,
  },
]
