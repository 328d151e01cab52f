import { rateLimited, unavailable } from './errors.ts'
import type { Lane } from '../work.ts'

/** The right of a call to run. */
export interface Turn {
  /** Gives the turn to other calls while `wait` only waits. Afterwards the call continues before calls that are new. */
  pause<T>(wait: () => Promise<T>): Promise<T>
}

/**
 * Limits how many calls run at a time, of one caller and in total. The other calls wait: those of one caller first-in,
 * first-out, and the callers take turns, so that one caller's flood does not delay the others.
 */
export interface Turns<Name extends string> {
  /**
   * @param signal - a call that still waits when it aborts is refused
   * @throws AppError 429 if the caller has too many calls, or waited too long because of them; 503 if the wait was too
   *   long because of other callers
   */
  run<T>(name: Name, caller: string, signal: AbortSignal, work: (turn: Turn) => Promise<T>): Promise<T>
}

export function createTurns<Name extends string>(lanes: Readonly<Record<Name, Lane>>): Turns<Name> {
  const queues = new Map<Name, LaneQueue>()
  const queueOf = (name: Name) => {
    const known = queues.get(name)
    if (known) return known
    const created = new LaneQueue(lanes[name])
    queues.set(name, created)
    return created
  }
  return {
    async run(name, caller, signal, work) {
      const queue = queueOf(name)
      await queue.enter(caller, signal)
      // A wait is no work, and needs no rest.
      let workedMs = 0
      let startedAt = performance.now()
      let running = true
      const turn: Turn = {
        async pause(wait) {
          queue.leave(caller)
          workedMs += performance.now() - startedAt
          running = false
          try {
            return await wait()
          } finally {
            await queue.resume(caller)
            startedAt = performance.now()
            running = true
          }
        },
      }
      try {
        return await work(turn)
      } finally {
        if (running) queue.leave(caller, workedMs + performance.now() - startedAt)
      }
    },
  }
}

interface Waiting {
  start(): void
}

interface CallerState {
  running: number
  /** Calls that have paused and continue, the first of them first. */
  returning: Waiting[]
  /** New calls. */
  waiting: Waiting[]
}

const retryAfterSeconds = 2
const maxRestMs = 2_000

class LaneQueue {
  readonly #lane: Lane
  #running = 0
  /** In the order in which they may start the next call. */
  readonly #callers = new Map<string, CallerState>()

  constructor(lane: Lane) {
    this.#lane = lane
  }

  async enter(caller: string, signal: AbortSignal): Promise<void> {
    const state = this.#stateOf(caller)
    if (this.#hasRoomFor(state) && state.waiting.length === 0) {
      this.#start(state)
      return
    }
    if (state.waiting.length >= this.#lane.maxWaitingPerCaller) throw this.#tooMany(state)
    await new Promise<void>((resolve, reject) => {
      const giveUp = (error: Error) => {
        state.waiting.splice(state.waiting.indexOf(waiting), 1)
        this.#forget(caller, state)
        end()
        reject(error)
      }
      const timer = setTimeout(() => giveUp(this.#tookTooLong(state)), this.#lane.maxWaitMs)
      const abort = () => giveUp(unavailable('The client disconnected before its call began.', retryAfterSeconds))
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
      }
      const waiting = {
        start() {
          end()
          resolve()
        },
      }
      state.waiting.push(waiting)
      signal.addEventListener('abort', abort)
      if (signal.aborted) abort()
    })
  }

  /** Starts again, before the new calls of the caller. */
  async resume(caller: string): Promise<void> {
    const state = this.#stateOf(caller)
    if (this.#hasRoomFor(state)) this.#start(state)
    else await new Promise<void>((resolve) => void state.returning.push({ start: resolve }))
  }

  /** @param tookMs - set at the end of the call */
  leave(caller: string, tookMs = 0): void {
    this.#running--
    const state = this.#stateOf(caller)
    const free = () => {
      state.running--
      this.#forget(caller, state)
      this.#startNext()
    }
    if (this.#lane.rests && tookMs > 0 && isAwaited(state)) {
      setTimeout(free, Math.min(tookMs, maxRestMs))
      this.#startNext()
    } else free()
  }

  #startNext(): void {
    if (this.#running >= this.#lane.maxRunning) return
    for (const [caller, state] of this.#callers) {
      if (!this.#hasRoomFor(state)) continue
      const next = state.returning.shift() ?? state.waiting.shift()
      if (!next) continue
      this.#start(state)
      // Now the other callers come first.
      this.#callers.delete(caller)
      this.#callers.set(caller, state)
      next.start()
      return
    }
  }

  #hasRoomFor(state: CallerState): boolean {
    return state.running < this.#lane.maxRunningPerCaller && this.#running < this.#lane.maxRunning
  }

  #start(state: CallerState): void {
    state.running++
    this.#running++
  }

  #stateOf(caller: string): CallerState {
    const known = this.#callers.get(caller)
    if (known) return known
    const created = { running: 0, returning: [], waiting: [] }
    this.#callers.set(caller, created)
    return created
  }

  #forget(caller: string, state: CallerState): void {
    if (state.running === 0 && !isAwaited(state)) this.#callers.delete(caller)
  }

  #tooMany({ running, waiting }: CallerState): Error {
    const { noun } = this.#lane
    return rateLimited(
      `${running} of your ${noun} are running and ${waiting.length} are waiting, which is the maximum. Try again when some have completed.`,
      retryAfterSeconds,
    )
  }

  #tookTooLong(state: CallerState): Error {
    const { noun, maxWaitMs, maxRunningPerCaller } = this.#lane
    if (state.running >= maxRunningPerCaller) {
      return rateLimited(
        `${state.running} of your ${noun} are running, which is the maximum, and this one has waited for ${maxWaitMs / 1_000} s. Send fewer at a time.`,
        retryAfterSeconds,
      )
    }
    return unavailable(
      `The server is busy with ${noun} of other callers. Try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    )
  }
}

const isAwaited = ({ returning, waiting }: CallerState) => returning.length + waiting.length > 0
