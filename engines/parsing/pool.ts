import { availableParallelism } from 'node:os'
import type { Described, SymbolPlace } from './description/types.ts'
import { type Dialect, isGrammar } from './dialects.ts'
import type { Answer, Parsed, ParseOptions } from './messages.ts'
import { PoolWorker, type Task, type WorkerEnd } from './pool-worker.ts'

export interface PoolOptions extends Partial<ParseOptions> {
  /** Processes at most. */
  size?: number
  signal?: AbortSignal
}

const batchBytes = 256 * 1_024
/** One more batch than it works on, so that a worker never waits for the next. */
const batchesAhead = 2
/** Work that must be waiting for each worker before another one is worth its start, which takes a quarter second. */
const workPerWorker = 2 * 1_024 * 1_024
/** Contents held in memory before `ready` makes the reader wait. */
const maxWaitingBytes = 32 * 1_024 * 1_024
/** Processes that may end in a row without having parsed anything before the pool gives up. */
const maxFutileStarts = 3

/**
 * Parses files in processes of their own, which hostile sources may crash or keep busy: such a file is answered for
 * with the reason, all others with their facts.
 */
export class ParsePool implements AsyncDisposable {
  readonly #size: number
  readonly #options: ParseOptions
  readonly #signal: AbortSignal | undefined
  readonly #workers = new Set<PoolWorker>()
  readonly #queue = new TaskQueue()
  readonly #waitingReaders: (() => void)[] = []
  #futileStarts = 0
  #dispatching = false
  #closed: { reason: unknown } | undefined

  constructor(options: PoolOptions = {}) {
    // The process that reads is done long before the last file is parsed, so its core counts as well.
    this.#size = options.size ?? availableParallelism()
    this.#options = { timeoutMs: options.timeoutMs ?? 1_000, checkNesting: options.checkNesting ?? true }
    this.#signal = options.signal
    this.#signal?.addEventListener('abort', this.#abort)
    if (this.#signal?.aborted) this.#abort()
  }

  /** Process ids of the workers, for tests that end one of them. */
  get pids(): number[] {
    return [...this.#workers].flatMap((worker) => worker.pid ?? [])
  }

  /** Process ids of the workers that are parsing a file at this moment, for the same tests. */
  get parsingPids(): number[] {
    return [...this.#workers].flatMap((worker) => (worker.isParsing ? (worker.pid ?? []) : []))
  }

  /** Starts the first process, so that it comes up while something else is still being waited for. */
  warm(dialects: readonly Dialect[] = []): void {
    if (this.#closed) return
    if (this.#workers.size === 0) this.#start()
    for (const worker of this.#workers) worker.warm(dialects)
  }

  /** Rejects only when the pool is closed or no process can be started. Problems of a file are part of the result. */
  parse(content: Buffer, dialect: Dialect): Promise<Parsed> {
    return this.#ask<Parsed>(content, dialect, null)
  }

  /** Describes symbols of one file. Rejects only when `parse` does. */
  describe(content: Buffer, dialect: Dialect, places: readonly SymbolPlace[]): Promise<Described> {
    return this.#ask<Described>(content, dialect, places)
  }

  /** A worker answers with facts where `places` is null and with descriptions elsewhere. */
  #ask<A extends Answer>(content: Buffer, dialect: Dialect, places: readonly SymbolPlace[] | null): Promise<A> {
    return new Promise((resolve, reject) => {
      const settle = (answer: Answer) => resolve(answer as A)
      this.#enqueue({ content, dialect, places, interruptions: 0, settle, fail: reject })
    })
  }

  /** Resolves when there is room for more files. */
  async ready(): Promise<void> {
    if (this.#queue.bytes < maxWaitingBytes || this.#closed) return
    await new Promise<void>((resolve) => this.#waitingReaders.push(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close(new Error('The parsing pool is closed.'))
  }

  readonly #abort = (): void => {
    void this.#close(this.#signal?.reason)
  }

  async #close(reason: unknown): Promise<void> {
    this.#closed ??= { reason }
    this.#signal?.removeEventListener('abort', this.#abort)
    for (const task of this.#queue.clear()) task.fail(this.#closed.reason)
    for (const resolve of this.#waitingReaders.splice(0)) resolve()
    await Promise.all([...this.#workers].map((worker) => worker.close()))
  }

  #enqueue(task: Task, how: 'batched' | 'alone' = 'batched'): void {
    if (this.#closed) return task.fail(this.#closed.reason)
    this.#queue.add(task, how)
    if (this.#dispatching) return
    // Whatever is read in the same turn of the event loop goes out together.
    this.#dispatching = true
    setImmediate(() => {
      this.#dispatching = false
      this.#dispatch()
    })
  }

  #dispatch(): void {
    if (this.#closed) return
    const worthwhile = Math.min(this.#size, Math.ceil(this.#queue.work / workPerWorker))
    while (this.#workers.size < worthwhile) this.#start()
    const free = [...this.#workers].filter((worker) => worker.load < batchesAhead)
    for (const worker of free.toSorted((a, b) => a.load - b.load)) {
      const batch = this.#queue.take()
      if (batch) worker.send(batch)
    }
    if (this.#queue.bytes < maxWaitingBytes) for (const resolve of this.#waitingReaders.splice(0)) resolve()
  }

  #start(): void {
    const worker = new PoolWorker(this.#options, {
      idle: () => {
        this.#futileStarts = 0
        this.#dispatch()
      },
      gone: (gone, end) => this.#replace(gone, end),
    })
    this.#workers.add(worker)
  }

  #replace(worker: PoolWorker, { reason, at, unfinished, stderr }: WorkerEnd): void {
    this.#workers.delete(worker)
    if (!at && unfinished.length > 0 && (this.#futileStarts += 1) >= maxFutileStarts) {
      void this.#close(new Error(`The parsing processes end before they parse anything. The last one wrote: ${stderr}`))
    }
    // Ended from outside, such as for want of memory. Once may be chance; a file present twice is the likely cause.
    if (at && reason === 'lost') at.interruptions += 1
    for (const task of unfinished) {
      if (task !== at || (reason === 'lost' && task.interruptions < 2)) this.#enqueue(task, 'alone')
      else task.settle({ unparsed: reason === 'timeout' ? 'timeout' : 'crash' })
    }
    this.#dispatch()
  }
}

/** Tasks in order of arrival, already cut into batches. */
class TaskQueue {
  #batches: Batch[] = []
  bytes = 0
  /** In bytes that take a tree-sitter grammar as long. */
  work = 0

  /** Files that come back from a process that ended go alone: where there is one that crashes there may be more. */
  add(task: Task, how: 'batched' | 'alone'): void {
    const last = this.#batches.at(-1)
    const bytes = task.content.length
    this.bytes += bytes
    this.work += workOf(task)
    if (how === 'alone') this.#batches.unshift({ tasks: [task], bytes })
    else if (!last || last.bytes >= batchBytes) this.#batches.push({ tasks: [task], bytes })
    else {
      last.tasks.push(task)
      last.bytes += bytes
    }
  }

  take(): Task[] | undefined {
    const batch = this.#batches.shift()
    for (const task of batch?.tasks ?? []) {
      this.bytes -= task.content.length
      this.work -= workOf(task)
    }
    return batch?.tasks
  }

  clear(): Task[] {
    const tasks = this.#batches.flatMap((batch) => batch.tasks)
    this.#batches = []
    this.bytes = 0
    this.work = 0
    return tasks
  }
}

interface Batch {
  tasks: Task[]
  bytes: number
}

/** oxc takes a sixth of the time; the one byte accounts for the cost of every file. */
function workOf({ content, dialect }: Task): number {
  return 1 + Math.ceil(isGrammar(dialect) ? content.length : content.length / 6)
}
