import type { EventEmitter } from 'node:events'

/** What Ctrl-C does: it aborts everything under way, and says what goes on at the server. */
export interface Interruption {
  readonly signal: AbortSignal
  /** What goes on at the server when this command is stopped, and how to follow it; null takes it back. */
  goesOn: (text: string | null) => void
  /** Work that is still done after an interruption and delays the end; null takes it back. */
  lastly: (work: (() => Promise<void>) | null) => void
  /** The exit code of a command that was interrupted, once its last work is done. Pending until a signal comes. */
  code: Promise<number>
  /** The same code, but at once on a second signal, and soon after the first one where the command does not stop. */
  deadline: Promise<number>
}

/** Time for the command to put the terminal in order and to end its children. */
const graceMs = 500

export function createInterruption(signals: EventEmitter, say: (text: string) => void): Interruption {
  const controller = new AbortController()
  const code = Promise.withResolvers<number>()
  const deadline = Promise.withResolvers<number>()
  let goingOn: string | null = null
  let lastWork: (() => Promise<void>) | null = null
  const end = (signal: 'SIGINT' | 'SIGTERM') => {
    // The codes that shells know for these signals.
    const exitCode = signal === 'SIGINT' ? 130 : 143
    if (controller.signal.aborted) {
      if (lastWork && goingOn) say(goingOn)
      deadline.resolve(exitCode)
      return
    }
    say(lastWork ? 'Stopping. Press Ctrl-C again to stop at once.' : (goingOn ?? 'Stopped.'))
    controller.abort(new DOMException('The command was stopped.', 'AbortError'))
    const finish = () => {
      code.resolve(exitCode)
      setTimeout(() => deadline.resolve(exitCode), graceMs)
    }
    if (lastWork) void lastWork().finally(finish)
    else finish()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) signals.on(signal, () => end(signal))
  return {
    signal: controller.signal,
    goesOn: (text) => void (goingOn = text),
    lastly: (work) => void (lastWork = work),
    code: code.promise,
    deadline: deadline.promise,
  }
}
