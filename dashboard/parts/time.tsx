import { useSyncExternalStore } from 'react'
import { useSetting } from './setting.ts'

const absoluteFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const shortFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const relativeFormat = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

export function relativeTime(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1_000
  const unit = units.find(([, length]) => Math.abs(seconds) >= length)
  return unit ? relativeFormat.format(Math.trunc(seconds / unit[1]), unit[0]) : 'now'
}

export const absoluteTime = (at: string) => absoluteFormat.format(new Date(at))

let now = Date.now()
const listeners = new Set<() => void>()
setInterval(() => {
  now = Date.now()
  for (const listener of listeners) listener()
}, 20_000)

/** Returns the current time, and renders again every 20 s. */
export function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => now,
  )
}

/** A time, relative to now. The absolute one is in its title, and in its place if the user chose absolute times. */
export function Time({ at }: { at: string | null | undefined }) {
  const now = useNow()
  const [style] = useSetting('times')
  if (!at) return <span className="quiet">never</span>
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {style === 'absolute' ? shortFormat.format(new Date(at)) : relativeTime(at, now)}
    </time>
  )
}

/** Milliseconds in the largest sensible unit: `340 ms`, `12.3 s`, `4 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  return ms === null || ms === undefined ? (
    <span className="quiet">–</span>
  ) : (
    <span className="number">{formatDuration(ms)}</span>
  )
}
