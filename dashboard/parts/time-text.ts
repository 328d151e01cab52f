const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const

/** `5 min ago`, `yesterday`, `in 2 months`. In English, as the pages are: the browser would use the user's language. */
export function relativeTime(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1_000
  const unit = units.find(([, length]) => Math.abs(seconds) >= length)
  if (!unit) return 'now'
  const [name, length] = unit
  const isPast = seconds < 0
  const count = name === 'day' ? daysBetween(Date.parse(at), now) : Math.floor(Math.abs(seconds) / length)
  if (name === 'day' && count === 1) return isPast ? 'yesterday' : 'tomorrow'
  const amount = `${count} ${count === 1 || length < 86_400 ? name : `${name}s`}`
  return isPast ? `${amount} ago` : `in ${amount}`
}

/** How often midnight lies between two times, for the user. */
function daysBetween(one: number, other: number): number {
  const [some, others] = [new Date(one).setHours(0, 0, 0, 0), new Date(other).setHours(0, 0, 0, 0)]
  return Math.round(Math.abs(some - others) / 86_400_000)
}

/**
 * `2026-11-26 14:03:59` in the user's time zone. `Intl.DateTimeFormat` is not used, because the first of its kind takes
 * 30 ms of each visit.
 */
export function absoluteTime(at: string): string {
  const date = new Date(at)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** The same without seconds. */
export const shortTime = (at: string) => absoluteTime(at).slice(0, -3)

const two = (number: number) => String(number).padStart(2, '0')

/** Milliseconds in the largest sensible unit: `340 ms`, `12.3 s`, `4 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
