/** What Ctrl-C does: everything under way is aborted, and the person learns what goes on elsewhere. */
export interface Interruption {
  readonly signal: AbortSignal
  /** What goes on at the server when this command is stopped, and how to follow it; null takes it back. */
  goesOn: (text: string | null) => void
  /** What is still done when this command is stopped, and keeps it from ending; null takes it back. */
  lastly: (work: (() => Promise<void>) | null) => void
}

/** Time to put the terminal in order and to end children. */
const graceMs = 500

const controller = new AbortController()
let goingOn: string | null = null
let lastWork: (() => Promise<void>) | null = null

export const interruption: Interruption = {
  signal: controller.signal,
  goesOn: (text) => void (goingOn = text),
  lastly: (work) => void (lastWork = work),
}

/** Ends the program soon after SIGINT or SIGTERM, with the code that shells know for it. */
export function endOnSignals(say: (text: string) => void): void {
  const end = (signal: 'SIGINT' | 'SIGTERM') => {
    const code = signal === 'SIGINT' ? 130 : 143
    // A second Ctrl-C waits for nothing.
    if (controller.signal.aborted) {
      if (lastWork && goingOn) say(goingOn)
      process.exit(code)
    }
    process.exitCode = code
    say(lastWork ? 'Stopping. Ctrl-C again ends at once.' : (goingOn ?? 'Stopped.'))
    controller.abort(new DOMException('The command was stopped.', 'AbortError'))
    const leave = () => void setTimeout(() => process.exit(code), graceMs).unref()
    if (lastWork) void lastWork().finally(leave)
    else leave()
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
}
