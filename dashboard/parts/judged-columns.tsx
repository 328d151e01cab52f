import { durationOf, Reason, type Reasoned, VerdictStatus } from './judged.tsx'
import type { Column } from './table.tsx'
import { Duration, Time } from './time.tsx'

/** The columns that all lists of records with a verdict have. */
export const judgedColumns = {
  verdict: {
    id: 'verdict',
    title: 'Verdict',
    cell: (row) => <VerdictStatus of={row} />,
    value: (row) => row.verdict ?? row.status,
  },
  reason: {
    id: 'reason',
    title: 'Reason',
    minor: true,
    cell: (row) => <Reason of={row} />,
    value: (row) => row.summary ?? row.error?.message,
  },
  duration: {
    id: 'duration',
    title: 'Duration',
    align: 'right',
    minor: true,
    cell: (row) => <Duration ms={durationOf(row)} />,
    value: durationOf,
  },
  requested: {
    id: 'requested',
    title: 'Requested',
    align: 'right',
    cell: (row) => <Time at={row.createdAt} />,
    value: (row) => row.createdAt,
  },
} satisfies Record<string, Column<Reasoned>>
