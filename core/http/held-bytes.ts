import { rateLimited, unavailable } from '../base/errors.ts'

/** The maximum size of the uploads of one kind that this process receives at once, and of those of one caller. */
const max = { inTotal: 2 ** 30, perCaller: 2 ** 29 }

/**
 * Limits the bytes of uploads that are arriving. A slow upload may take minutes, so that one caller could otherwise keep
 * out all others.
 *
 * @param noun - "snapshots"
 */
export class HeldBytes {
  readonly #noun: string
  readonly #retryAfterSeconds: number
  readonly #ofCallers = new Map<string, number>()
  #total = 0

  constructor(noun: string, retryAfterSeconds: number) {
    this.#noun = noun
    this.#retryAfterSeconds = retryAfterSeconds
  }

  /**
   * Counts the bytes until it is disposed of.
   *
   * @throws AppError 429 if the caller sends too much at once; 503 if all callers do
   */
  hold(caller: string, bytes: number): Disposable {
    const seconds = this.#retryAfterSeconds
    const held = this.#ofCallers.get(caller) ?? 0
    if (held + bytes > max.perCaller) {
      throw rateLimited(
        `You are sending ${Math.round(held / 2 ** 20)} MiB of ${this.#noun}. Send fewer at a time, and this one again ` +
          `in ${seconds} s.`,
        seconds,
      )
    }
    if (this.#total + bytes > max.inTotal) {
      throw unavailable(`The server is receiving too many ${this.#noun}. Try again in ${seconds} s.`, seconds)
    }
    this.#add(caller, bytes)
    return { [Symbol.dispose]: () => this.#add(caller, -bytes) }
  }

  #add(caller: string, bytes: number): void {
    this.#total += bytes
    const held = (this.#ofCallers.get(caller) ?? 0) + bytes
    if (held > 0) this.#ofCallers.set(caller, held)
    else this.#ofCallers.delete(caller)
  }
}
