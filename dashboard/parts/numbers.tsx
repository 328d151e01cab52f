import { formatCount, formatPercent } from './number-text.ts'

export function Count({ of }: { of: number }) {
  return <span className={of === 0 ? 'number quiet' : 'number'}>{formatCount(of)}</span>
}

/** A percentage as number and bar. */
export function Percent({ of, change }: { of: number | null | undefined; change?: number | null | undefined }) {
  if (of === null || of === undefined) return <span className="quiet">–</span>
  return (
    <span className="percent">
      <meter className="meter" min={0} max={100} value={of} aria-hidden="true" />
      <span className="number">{formatPercent(of)}</span>
      {change === null || change === undefined || Math.abs(change) < 0.005 ? undefined : <Change by={change} />}
    </span>
  )
}

/** A change in points of percent: an arrow and a signed number. */
export function Change({ by }: { by: number }) {
  return (
    <span className={`number ${by < 0 ? 'tone-bad' : 'tone-good'}`}>
      <span aria-hidden="true">{by < 0 ? '▼' : '▲'}</span> {by > 0 ? '+' : '−'}
      {Math.abs(by).toFixed(Math.abs(by) < 0.1 ? 2 : 1)}
    </span>
  )
}
