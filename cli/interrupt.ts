import type { EventEmitter } from 'node:events'

export type PassedSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Handles Ctrl-C: aborts all work, and says what continues on the server. */
export interface Interruption {
  readonly signal: AbortSignal
  /** Sets the message for an interruption: what continues on the server, and how to follow it. Null removes it. */
  onInterrupt: (text: string | null) => void
  /** Sets work to do after an interruption, before the exit. Null removes it. */
  beforeExit: (work: (() => Promise<void>) | null) => void
  /** Passes signals to a receiver, such as a child process, instead of ending the command. Null ends that. */
  passSignalsTo: (receiver: ((signal: PassedSignal) => void) | null) => void
  /** Resolves to the exit code after an interruption, when the last work is done. Pending until a signal arrives. */
  code: Promise<number>
  /** Resolves to the same code at once on a second signal, and soon after the first one if the command does not stop. */
  deadline: Promise<number>
}

/** Time for the command to put the terminal in order and to end its children. */
const graceMs = 500

export function createInterruption(signals: EventEmitter, say: (text: string) => void): Interruption {
  const controller = new AbortController()
  const code = Promise.withResolvers<number>()
  const deadline = Promise.withResolvers<number>()
  let continuing: string | null = null
  let lastWork: (() => Promise<void>) | null = null
  let receiver: ((signal: PassedSignal) => void) | null = null
  const end = (signal: 'SIGINT' | 'SIGTERM') => {
    if (receiver) return receiver(signal)
    // The codes that shells know for these signals.
    const exitCode = signal === 'SIGINT' ? 130 : 143
    if (controller.signal.aborted) {
      if (lastWork && continuing) say(continuing)
      deadline.resolve(exitCode)
      return
    }
    say(lastWork ? 'Stopping. Press Ctrl-C again to stop at once.' : (continuing ?? 'Stopped.'))
    controller.abort(new DOMException('The command was stopped.', 'AbortError'))
    const finish = () => {
      code.resolve(exitCode)
      setTimeout(() => deadline.resolve(exitCode), graceMs)
    }
    if (lastWork) void lastWork().finally(finish)
    else finish()
  }
  const passHangUp = () => receiver?.('SIGHUP')
  for (const signal of ['SIGINT', 'SIGTERM'] as const) signals.on(signal, () => end(signal))
  return {
    signal: controller.signal,
    onInterrupt: (text) => void (continuing = text),
    beforeExit: (work) => void (lastWork = work),
    passSignalsTo(next) {
      receiver = next
      // While a process listens for it, the end of its terminal does not end the process.
      signals.off('SIGHUP', passHangUp)
      if (next) signals.on('SIGHUP', passHangUp)
    },
    code: code.promise,
    deadline: deadline.promise,
  }
}
