import { useSyncExternalStore } from 'react'
import { useSetting } from './setting.ts'
import { absoluteTime, formatDuration, relativeTime, shortTime } from './time-text.ts'

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
      {style === 'absolute' ? shortTime(at) : relativeTime(at, now)}
    </time>
  )
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  return ms === null || ms === undefined ? (
    <span className="quiet">–</span>
  ) : (
    <span className="number">{formatDuration(ms)}</span>
  )
}
