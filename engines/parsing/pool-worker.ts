import { closeSync, openSync, readSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type ChildProcess,
  type ChildProcessEnd,
  forParsing,
  forShortWork,
  startChildProcess,
} from '../processes/child-processes.ts'
import type { SymbolPlace } from './description/types.ts'
import type { Dialect } from './dialects.ts'
import type { Answer, Batch, FromWorker, ParseOptions, ToWorker } from './messages.ts'

/** One file on its way through the pool. */
export interface Task {
  content: Buffer
  dialect: Dialect
  /** The symbols to describe; null if the facts of the file are wanted. */
  places: readonly SymbolPlace[] | null
  /** How often a process was ended from outside while it parsed this file. */
  interruptions: number
  settle(answer: Answer): void
  fail(error: unknown): void
}

export interface WorkerEvents {
  /** Called when the worker has completed a batch and can take another. */
  idle(): void
  gone(worker: PoolWorker, end: WorkerEnd): void
}

export interface WorkerEnd {
  /** `crash`: a parser took the process down. `timeout`: it was stopped at a file. `lost`: it was killed from outside. */
  reason: 'crash' | 'timeout' | 'lost'
  /** The file it was at. */
  at: Task | undefined
  /** All files that it did not answer for, the one it was at included. */
  unfinished: Task[]
  /** The last characters of its error output. */
  stderr: string
}

// Beside this file, which is JavaScript in the published package.
const program = fileURLToPath(new URL(`worker${extname(import.meta.filename)}`, import.meta.url))
/** Signals of a process that failed: faults of native code, failed assertions, V8 out of memory. */
const crashSignals = new Set<NodeJS.Signals>(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT', 'SIGTRAP', 'SIGSYS'])
/** Beyond the parser's own deadline, for those that cannot stop themselves. */
const graceMs = 250

/** A parsing process, as its parent sees it. */
export class PoolWorker {
  readonly #child: ChildProcess<ToWorker>
  readonly #scoreboard: number
  readonly #events: WorkerEvents
  readonly #options: ParseOptions
  readonly #batches: Task[][] = []
  readonly #closed: Promise<void>
  readonly #watch: NodeJS.Timeout
  /** Files answered for, over the worker's lifetime. */
  #answered = 0
  #watched = { at: 0, since: 0 }
  #stopped: WorkerEnd['reason'] | undefined

  constructor(options: ParseOptions, events: WorkerEvents) {
    this.#options = options
    this.#events = events
    this.#scoreboard = openUnnamedFile()
    this.#child = startChildProcess<ToWorker, FromWorker>(program, (message) => this.#receive(message), {
      args: [String(options.timeoutMs), String(options.checkNesting)],
      v8Options: ['--max-old-space-size=1024', ...forParsing, ...forShortWork],
      files: [this.#scoreboard],
    })
    this.#closed = this.#child.ended.then((end) => this.#end(end))
    this.#watch = setInterval(() => this.#checkProgress(), graceMs / 2)
    this.#watch.unref()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Whether it has begun a file that it has not answered yet. */
  get isParsing(): boolean {
    return this.#current() > this.#answered
  }

  /** Batches sent and not yet answered. */
  get load(): number {
    return this.#batches.length
  }

  warm(dialects: readonly Dialect[]): void {
    this.#child.send({ warm: dialects })
  }

  send(tasks: Task[]): void {
    this.#batches.push(tasks)
    const batch: Batch = {
      dialects: tasks.map((task) => task.dialect),
      places: tasks.map((task) => task.places),
      lengths: tasks.map((task) => task.content.length),
      content: Buffer.concat(tasks.map((task) => task.content)),
    }
    this.#child.send({ batch })
  }

  async close(): Promise<void> {
    this.#stopped ??= 'lost'
    this.#child.kill()
    await this.#closed
  }

  #receive(message: FromWorker): void {
    const tasks = this.#batches.shift() ?? []
    // Messages come from a process that handles hostile input, but our own code wrote them.
    const results = JSON.parse(message.results) as Answer[]
    this.#answered += tasks.length
    for (const [index, task] of tasks.entries()) task.settle(results[index] ?? { unparsed: 'error' })
    this.#events.idle()
  }

  /** Number of the file it is at; it counts files from 1 in the order in which they were sent. */
  #current(): number {
    const counter = new Uint32Array(1)
    readSync(this.#scoreboard, counter, 0, counter.byteLength, 0)
    return counter[0] ?? 0
  }

  #checkProgress(): void {
    const at = this.#current()
    const busy = at > this.#answered
    if (!busy || at !== this.#watched.at) {
      this.#watched = { at, since: performance.now() }
    } else if (performance.now() - this.#watched.since > this.#options.timeoutMs + graceMs) {
      this.#stopped ??= 'timeout'
      this.#child.kill()
    }
  }

  #end({ code, signal, stderr }: ChildProcessEnd): void {
    clearInterval(this.#watch)
    const unfinished = this.#batches.splice(0).flat()
    const at = unfinished[this.#current() - this.#answered - 1]
    closeSync(this.#scoreboard)
    const crashed = signal ? crashSignals.has(signal) : code !== null && code > 128
    this.#events.gone(this, { reason: this.#stopped ?? (crashed ? 'crash' : 'lost'), at, unfinished, stderr })
  }
}

/** A file without a name: it goes away with the last process that holds it open. */
function openUnnamedFile(): number {
  const path = join(tmpdir(), `assay-parsing-${process.pid}-${Math.random().toString(36).slice(2)}`)
  const fd = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return fd
}
