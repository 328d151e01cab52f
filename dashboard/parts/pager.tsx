import { formatCount } from './number-text.ts'

interface PagerProps {
  total: number
  limit: number
  offset: number
  onMove: (offset: number) => void
}

/** Moves through a list that is shown in pages. */
export function Pager({ total, limit, offset, onMove }: PagerProps) {
  if (total <= limit && offset === 0) return undefined
  const last = Math.min(offset + limit, total)
  return (
    <nav className="pager" aria-label="Pages">
      <button
        type="button"
        className="plain"
        disabled={offset === 0}
        onClick={() => onMove(Math.max(0, offset - limit))}
      >
        Previous
      </button>
      <span className="number">
        {formatCount(Math.min(offset + 1, total))}–{formatCount(last)} of {formatCount(total)}
      </span>
      <button type="button" className="plain" disabled={last >= total} onClick={() => onMove(offset + limit)}>
        Next
      </button>
    </nav>
  )
}
