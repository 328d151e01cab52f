import { Link } from '@tanstack/react-router'
import type { Outputs } from '../../api.ts'
import { Commit } from '../../parts/copy.tsx'
import { judgedColumns } from '../../parts/judged-columns.tsx'
import { formatPercent } from '../../parts/number-text.ts'
import { Change, Count } from '../../parts/numbers.tsx'
import { intervalText } from '../../parts/strength.tsx'
import type { Column } from '../../parts/table.tsx'

export type Row = Outputs['strength']['list']['measurements'][number]

/** Whether all code of a commit was measured to the end. */
export const isOfAll = (row: Row) =>
  row.status === 'completed' && row.strength !== null && row.paths.length === 0 && row.since === null && !row.snapshotId

/** What was measured, in words. */
export function scopeOf({ paths, since }: Pick<Row, 'paths' | 'since'>): string {
  const of = paths.length > 0 ? paths.join(', ') : 'All code'
  return since === null ? of : `${of}, changed since ${since}`
}

export const columns: readonly Column<Row>[] = [
  judgedColumns.verdict,
  {
    id: 'scope',
    title: 'Code',
    cell: (row) => (
      <Link
        to="/projects/$projectId/strength/$measurementId"
        params={{ projectId: row.projectId, measurementId: row.id }}
        className="name-cell"
      >
        <bdi>{scopeOf(row).slice(0, 200)}</bdi>
      </Link>
    ),
    value: scopeOf,
  },
  {
    id: 'strength',
    title: 'Noticed',
    align: 'right',
    cell: ({ strength, previous }) =>
      strength ? (
        <span className="row right-row">
          {previous?.change ? <Change by={previous.change} /> : undefined}
          <span className="number" title={intervalText(strength.interval) || undefined}>
            {formatPercent(strength.percent)}
          </span>
        </span>
      ) : (
        <span className="quiet">–</span>
      ),
    value: ({ strength }) => strength?.percent,
  },
  {
    id: 'survived',
    title: 'Survived',
    align: 'right',
    cell: ({ survived, tried }) => (tried === 0 ? <span className="quiet">–</span> : <Count of={survived} />),
    value: ({ survived }) => survived,
  },
  {
    id: 'tried',
    title: 'Tried',
    align: 'right',
    minor: true,
    cell: ({ tried }) => <Count of={tried} />,
    value: ({ tried }) => tried,
  },
  judgedColumns.reason,
  {
    id: 'commit',
    title: 'Of',
    minor: true,
    cell: (row) => (
      <span className="code-cell">
        {row.branch ? <bdi>{row.branch}</bdi> : undefined}
        <Commit sha={row.commitSha} />
        {row.snapshotId ? <span className="tag">Snapshot</span> : undefined}
      </span>
    ),
    value: (row) => row.commitSha,
  },
  judgedColumns.requested,
]
