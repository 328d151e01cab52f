export const howToMeasure = 'Add `--measure` to run the tests and measure it.'

/** Names the page of the dashboard that shows what a command has shown. */
export const pageLine = (url: string) => `Page: ${url}`

/** `1 test`, `2 tests`. */
export const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** Says how a verification ended that was to be cancelled. */
export const cancelledLine = (what: string, { id, status }: { id: string; status: string }) =>
  status === 'cancelled' ? `The ${what} ${id} is cancelled.` : `The ${what} ${id} has already ${status}.`

export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds} ms`
  const seconds = milliseconds / 1_000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
}

/** Returns an age such as `5 min ago`. Output for programs has the time itself. */
export function ago(time: string, now = Date.now()): string {
  const minutes = Math.floor((now - Date.parse(time)) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`
  return `${counted(Math.floor(minutes / 1_440), 'day')} ago`
}
