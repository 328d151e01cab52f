import type { ReactNode } from 'react'
import { type Cell, download, toCsv } from './csv.ts'
import { Icon } from './icon.tsx'

export interface Column<Row> {
  id: string
  title: string
  /** Numbers are aligned at the right. */
  align?: 'right'
  /** Hidden on narrow screens; with `wide`, everywhere but on wide ones. */
  minor?: boolean | 'wide'
  cell: (row: Row) => ReactNode
  /** The value in exports; without it, the column is left out. */
  value?: (row: Row) => Cell
  /** The column is only in exports, because another one shows its value. */
  exportOnly?: true
  /** The name under which the list can be sorted by this column. */
  sort?: string
}

interface TableProps<Row> {
  /** The name of the table for screen readers, and of its export. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  sort?: string | undefined
  onSort?: (sort: string) => void
  /** Loads what to export, if `rows` is only a part. */
  exportAll?: () => Promise<readonly Row[]>
  /** Rows that need attention get a mark at their left. */
  tone?: (row: Row) => 'bad' | 'warn' | undefined
}

/**
 * A table of some hundred rows. `VirtualTable` shows more. On phones, each row is a card; the explicit roles keep the
 * table a table there for screen readers.
 */
export function Table<Row>({ label, columns, rows, rowKey, sort, onSort, exportAll, tone }: TableProps<Row>) {
  const shown = columns.filter(({ exportOnly }) => !exportOnly)
  return (
    <div className="table-frame">
      <div className="table-scroll" tabIndex={0} role="region" aria-label={`Table: ${label}`}>
        <table className="table" role="table">
          <caption className="visually-hidden">{label}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {shown.map((column) => (
                <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <tr key={rowKey(row)} role="row" className={tone?.(row) && `row-${tone(row)}`}>
                {shown.map((column) => (
                  <td key={column.id} role="cell" className={classOf(column)} data-label={column.title}>
                    <div className="cell">{column.cell(row)}</div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ExportButton label={label} columns={columns} load={exportAll ?? (() => Promise.resolve(rows))} />
    </div>
  )
}

interface HeadProps<Row> {
  column: Column<Row>
  sort: string | undefined
  onSort: ((sort: string) => void) | undefined
}

function HeadCell<Row>({ column, sort, onSort }: HeadProps<Row>) {
  const { sort: name, title } = column
  const isSorted = name !== undefined && sort === name
  return (
    <th scope="col" role="columnheader" className={classOf(column)} aria-sort={isSorted ? 'descending' : undefined}>
      {name !== undefined && onSort ? (
        <button type="button" className="sort" onClick={() => onSort(name)}>
          {title}
          {isSorted ? <Icon name="down" /> : undefined}
        </button>
      ) : (
        title
      )}
    </th>
  )
}

export const classOf = ({ align, minor }: Pick<Column<never>, 'align' | 'minor'>): string | undefined =>
  [align === 'right' ? 'right' : '', minor === 'wide' ? 'minor wide-only' : minor ? 'minor' : '']
    .filter(Boolean)
    .join(' ') || undefined

interface ExportProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  load: () => Promise<readonly Row[]>
}

/** Downloads the table as CSV. */
export function ExportButton<Row>({ label, columns, load }: ExportProps<Row>) {
  const exported = columns.filter(({ value }) => value)
  if (exported.length === 0) return undefined
  const save = async () => {
    const rows = await load()
    const lines = rows.map((row) => exported.map(({ value }) => value?.(row)))
    download(`${label}.csv`, toCsv([exported.map(({ title }) => title), ...lines]))
  }
  return (
    <button type="button" className="plain export" onClick={() => void save()}>
      <Icon name="download" /> CSV<span className="visually-hidden"> of {label}</span>
    </button>
  )
}
