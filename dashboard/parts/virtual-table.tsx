import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, memo, type ReactNode, useEffect, useRef, useState } from 'react'
import { useQueries, type UseQueryOptions } from '@tanstack/react-query'
import { Problem } from './loaded.tsx'
import { useIsNarrow } from './narrow.ts'
import { classOf, type Column } from './table.tsx'

interface VirtualTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  /** CSS widths of the columns, such as `minmax(12rem, 1fr) 6rem`. */
  widths: string
  total: number
  pageSize: number
  /** The query of one page. */
  pageQuery: (offset: number) => UseQueryOptions<readonly Row[], unknown>
  /** The row whose details are open. */
  isSelected?: (row: Row) => boolean
}

/** In pixels. On phones, a row has two lines for its first cell, and one for the others. */
const rowHeights = { wide: 34, narrow: 74 } as const

/** How long the user must rest at a place before its rows are loaded, so that a fast scroll loads only where it ends. */
const restMs = 80

/** A table of up to hundreds of thousands of rows. Only the visible rows are in the document, and only their pages are loaded. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, widths, total, pageSize, pageQuery, isSelected } = props
  const isNarrow = useIsNarrow()
  const rowHeight = isNarrow ? rowHeights.narrow : rowHeights.wide
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  useEffect(() => rows.measure(), [rows, rowHeight])
  const visible = rows.getVirtualItems()
  const first = Math.floor((visible[0]?.index ?? 0) / pageSize)
  const last = Math.floor((visible.at(-1)?.index ?? 0) / pageSize)
  const [loadedFrom, loadedTo] = useRested(first, last)
  const numbers = Array.from({ length: loadedTo - loadedFrom + 1 }, (_, index) => loadedFrom + index)
  const pages = useQueries({ queries: numbers.map((page) => pageQuery(page * pageSize)) })
  const rowAt = (index: number): Row | undefined =>
    pages[Math.floor(index / pageSize) - loadedFrom]?.data?.[index % pageSize]
  const failed = pages.find(({ error }) => error)
  return (
    <>
      {failed ? <Problem error={failed.error} retry={() => failed.refetch()} /> : undefined}
      <div
        ref={frame}
        className="virtual-frame"
        tabIndex={0}
        role="region"
        aria-label={`Table: ${label}`}
        // A short table takes no more room than its rows; 34 px are the head and the borders.
        style={{ maxHeight: Math.max(3, total) * rowHeight + 34 }}
      >
        <div
          role="table"
          aria-label={label}
          aria-rowcount={total + 1}
          className="virtual-table"
          style={{ '--columns': widths } as CSSProperties}
        >
          <div role="row" aria-rowindex={1} className="virtual-row virtual-head">
            {columns.map((column) => (
              <div key={column.id} role="columnheader" className={classOf(column)}>
                {column.title}
              </div>
            ))}
          </div>
          <div role="rowgroup" className="virtual-body" style={{ height: rows.getTotalSize() }}>
            {visible.map(({ index, start }) => {
              const row = rowAt(index)
              return (
                <VirtualRow
                  key={index}
                  index={index}
                  start={start}
                  height={rowHeight}
                  row={row}
                  columns={columns}
                  isSelected={row !== undefined && isSelected?.(row) === true}
                />
              )
            })}
          </div>
        </div>
      </div>
    </>
  )
}

interface VirtualRowProps<Row> {
  index: number
  start: number
  height: number
  row: Row | undefined
  columns: readonly Column<Row>[]
  isSelected: boolean
}

/** Rendered once while it is in view, if `columns` stays the same: a scroll renders only the rows that come into view. */
const VirtualRow = memo(function VirtualRow<Row>(props: VirtualRowProps<Row>) {
  const { index, start, height, row, columns, isSelected } = props
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-current={isSelected ? 'true' : undefined}
      className={isSelected ? 'virtual-row selected' : 'virtual-row'}
      style={{ height, transform: `translateY(${start}px)` }}
    >
      {columns.map((column) => (
        <div key={column.id} role="cell" className={classOf(column)} data-label={column.title}>
          {row === undefined ? <span className="placeholder" /> : column.cell(row)}
        </div>
      ))}
    </div>
  )
}) as <Row>(props: VirtualRowProps<Row>) => ReactNode

/** Returns the pages in view once they have stayed in view for a moment. */
function useRested(first: number, last: number): readonly [number, number] {
  const [rested, setRested] = useState<readonly [number, number]>([first, last])
  useEffect(() => {
    const timer = setTimeout(() => setRested([first, last]), restMs)
    return () => clearTimeout(timer)
  }, [first, last])
  // A page next to those that are shown is loaded at once.
  const isNear = first <= rested[1] + 1 && last >= rested[0] - 1
  return isNear ? [first, last] : rested
}
