import { EngineProcess, type ProcessLimits } from './engine-process.ts'
import { FairQueue } from './fair-queue.ts'
import { PoolFull, type Task, TaskFailure, type TaskOptions, type TaskRunner } from './tasks.ts'

export interface PoolOptions extends Partial<ProcessLimits> {
  /** The maximum number of processes, at least 2. One owner never has all of them. */
  size: number
  /** See `TaskOptions.timeoutMs`. */
  timeoutMs: number
  /** How long a process without a task stays. */
  idleMs?: number
  maxWaiting?: number
  maxWaitingOfOwner?: number
}

interface Waiting {
  owner: string
  shared: unknown
  start: (process: EngineProcess) => void
  fail: (error: unknown) => void
}

/**
 * Processes that parse what strangers wrote, which can take down or block only the process that reads it. Each works on
 * one task at a time. Processes start on demand, end when they are idle, and are replaced after a failure.
 */
export class ProcessPool implements AsyncDisposable {
  readonly #options: Required<PoolOptions>
  readonly #processes = new Set<EngineProcess>()
  /** The last one that became idle comes first, because its code and data are in the caches of the processor. */
  readonly #idle = new Map<EngineProcess, NodeJS.Timeout>()
  readonly #queue = new FairQueue<Waiting>()
  /** The number of running tasks of each owner. */
  readonly #running = new Map<string, number>()
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = {
      maxHeapBytes: 1_024 * 2 ** 20,
      maxMemoryBytes: 2_048 * 2 ** 20,
      isBackground: false,
      idleMs: 60_000,
      maxWaiting: 1_000,
      maxWaitingOfOwner: 100,
      ...options,
      size: Math.max(2, options.size),
    }
  }

  /** The process ids, for tests that stop processes. */
  get pids(): number[] {
    return [...this.#processes].flatMap(({ pid }) => pid ?? [])
  }

  /** @param signal - abandons all tasks of the runner when it aborts */
  runnerFor(owner: string, signal?: AbortSignal): TaskRunner {
    return {
      run: (task, input, options = {}) => {
        const signals = [signal, options.signal].filter((one) => one !== undefined)
        return this.#run(owner, task, input, {
          ...options,
          ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
        })
      },
      warm: (task) => this.#warm(task),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (let next = this.#queue.take(() => true); next; next = this.#queue.take(() => true)) next.fail(closed())
    for (const timer of this.#idle.values()) clearTimeout(timer)
    await Promise.all([...this.#processes].map((process) => process.close()))
  }

  async #run<Input, Result, Question, Answer, Shared>(
    owner: string,
    task: Task<Input, Result, Question, Answer, Shared>,
    input: Input,
    options: TaskOptions<Question, Answer, Shared>,
  ): Promise<Result> {
    let wasAsked = false
    const { onAsk } = options
    const noticing = {
      timeoutMs: this.#options.timeoutMs,
      ...options,
      ...(onAsk && {
        onAsk: (question: Question) => {
          wasAsked = options.isRepeatable !== true
          return onAsk(question)
        },
      }),
    }
    for (let attempt = 1; ; attempt++) {
      const process = await this.#acquire(owner, options)
      try {
        return await process.run(task, input, noticing)
      } catch (error) {
        // Somebody ended the process, which may be chance. A task that already handed something over has side effects.
        const isWorthAnother = error instanceof TaskFailure && error.reason === 'lost' && attempt === 1 && !wasAsked
        if (!isWorthAnother || this.#isClosed) throw this.#isClosed ? closed() : error
      } finally {
        this.#release(process, owner)
      }
    }
  }

  #acquire(owner: string, { signal, shared }: Pick<TaskOptions<never, never, unknown>, 'signal' | 'shared'>) {
    if (this.#isClosed) return Promise.reject(closed())
    if (signal?.aborted) return Promise.reject(signal.reason)
    const { maxWaiting, maxWaitingOfOwner } = this.#options
    if (this.#queue.size >= maxWaiting || this.#queue.countOf(owner) >= maxWaitingOfOwner) {
      return Promise.reject(new PoolFull('Too many files wait to be read.'))
    }
    return new Promise<EngineProcess>((resolve, reject) => {
      const waiting: Waiting = { owner, shared, start: resolve, fail: reject }
      const abandon = () => {
        this.#queue.remove(owner, waiting)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abandon)
      waiting.start = (process) => {
        signal?.removeEventListener('abort', abandon)
        resolve(process)
      }
      this.#queue.add(owner, waiting)
      this.#dispatch()
    })
  }

  #dispatch(): void {
    while (!this.#isClosed && (this.#idle.size > 0 || this.#processes.size < this.#options.size)) {
      // One process is left to the others, however long the tasks of an owner take.
      const next = this.#queue.take((owner) => (this.#running.get(owner) ?? 0) < this.#options.size - 1)
      if (!next) return
      this.#running.set(next.owner, (this.#running.get(next.owner) ?? 0) + 1)
      const process = this.#takeIdle(next) ?? this.#start()
      process.lastOwner = next.owner
      next.start(process)
    }
  }

  /** Prefers the process that holds the shared value. */
  #takeIdle({ owner, shared }: Waiting): EngineProcess | undefined {
    const idle = [...this.#idle.keys()].toReversed()
    const best =
      (shared === undefined ? undefined : idle.find((process) => process.holds(shared))) ??
      idle.find(({ lastOwner }) => lastOwner === owner) ??
      idle[0]
    if (best) {
      clearTimeout(this.#idle.get(best))
      this.#idle.delete(best)
    }
    return best
  }

  #release(process: EngineProcess, owner: string): void {
    const running = (this.#running.get(owner) ?? 1) - 1
    if (running === 0) this.#running.delete(owner)
    else this.#running.set(owner, running)
    if (!process.isGone) this.#keepIdle(process)
    this.#dispatch()
  }

  #warm({ url }: Pick<Task<never, unknown>, 'url'>): void {
    if (this.#isClosed || (this.#idle.size === 0 && this.#processes.size >= this.#options.size)) return
    const [process = this.#start()] = this.#idle.keys()
    this.#keepIdle(process)
    process.load(url)
  }

  #start(): EngineProcess {
    const process = new EngineProcess(this.#options)
    this.#processes.add(process)
    void process.ended.then(() => {
      this.#processes.delete(process)
      clearTimeout(this.#idle.get(process))
      this.#idle.delete(process)
      this.#dispatch()
    })
    return process
  }

  #keepIdle(process: EngineProcess): void {
    clearTimeout(this.#idle.get(process))
    this.#idle.delete(process)
    const end = () => {
      this.#idle.delete(process)
      void process.close()
    }
    this.#idle.set(process, setTimeout(end, this.#options.idleMs).unref())
  }
}

const closed = () => new Error('The processes that read files have been closed, because the server is stopping.')
