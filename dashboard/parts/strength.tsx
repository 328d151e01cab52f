import { formatPercent } from './number-text.ts'
import { Change } from './numbers.tsx'

interface StrengthProps {
  percent: number
  interval: readonly [number, number]
  previous?: { percent: number; change: number | null } | null | undefined
}

/** `61.0 to 70.2 %`; nothing for a point. */
export function intervalText([from, to]: readonly [number, number]): string {
  return to - from < 0.05 ? '' : `${from.toFixed(1)} to ${formatPercent(to)}`
}

/** A strength with its interval and how it changed, as a number and as a bar from 0 to 100 %. */
export function StrengthBar({ percent, interval, previous }: StrengthProps) {
  const [from, to] = interval
  const range = intervalText(interval)
  return (
    <div className="strength">
      <p className="row">
        <strong className="strength-percent number">{formatPercent(percent)}</strong>
        <span>of the tried changes are noticed</span>
        {previous && previous.change !== null && Math.abs(previous.change) >= 0.05 ? (
          <Change by={previous.change} />
        ) : undefined}
      </p>
      <svg className="strength-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect className="strength-track" width="100" height="8" />
        <rect className="strength-filled" width={percent} height="8" />
        <rect className="strength-range" x={from} width={Math.max(0.4, to - from)} height="8" />
        <rect className="strength-point" x={Math.max(0, percent - 0.25)} width="0.5" height="8" />
        {previous ? (
          <path className="strength-previous" d={`M${previous.percent} 0v8`} vectorEffect="non-scaling-stroke" />
        ) : undefined}
      </svg>
      <p className="quiet">
        {range === ''
          ? 'Every change that tests reach was tried.'
          : `Estimate for all changes that tests reach: ${range}, with 95 % confidence.`}
        {previous
          ? ` Before: ${formatPercent(previous.percent)} (dashed line)${previous.change === null ? '; the difference may be chance.' : '.'}`
          : ''}
      </p>
    </div>
  )
}
