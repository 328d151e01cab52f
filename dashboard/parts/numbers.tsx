/** `1,234,567`: in English, as the pages and all other numbers are. */
export const formatCount = (count: number) => String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',')

export function formatPercent(percent: number): string {
  // 99.96 must not read as 100: then nothing would seem to be missing.
  const rounded = percent < 100 && percent > 99.9 ? 99.9 : percent
  return `${rounded.toFixed(rounded === 100 || rounded === 0 ? 0 : 1)} %`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length)
  return `${(bytes / 1_024 ** power).toFixed(1)} ${units[power - 1]}`
}

/** `1 test`, `2 tests`. */
export const plural = (count: number, noun: string, many = `${noun}s`) =>
  `${formatCount(count)} ${count === 1 ? noun : many}`

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
