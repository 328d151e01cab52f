import { fileURLToPath } from 'node:url'
import {
  type ChildProcess,
  type ChildProcessEnd,
  forParsing,
  lowerPriority,
  startChildProcess,
} from './child-processes.ts'
import { type FromProcess, type Task, TaskFailure, type TaskOptions, type ToProcess } from './tasks.ts'

const program = fileURLToPath(new URL('process.ts', import.meta.url))

export interface ProcessLimits {
  /** For JavaScript values. */
  maxHeapBytes: number
  /** For the whole process. */
  maxMemoryBytes: number
  /** Whether processes that answer requests go first on a busy machine. */
  isBackground: boolean
}

interface Work {
  options: TaskOptions<unknown, unknown, unknown> & { timeoutMs: number }
  outcome: PromiseWithResolvers<unknown>
  step: string | undefined
  /** Questions that the caller has not answered. The clock stands still until the last answer. */
  unanswered: number
  /** An error of the caller's own, which counts more than what becomes of the task. */
  refusal: { error: unknown } | undefined
}

/** The time in which a task that nobody waits for any more can end, before its process is killed. */
const abandonedMs = 500

/** The time in which a new process loads its code on a busy machine, in addition to that of its first task. */
const startMs = 30_000

const isCrash = new Set<NodeJS.Signals | null>(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'])

/** A process of the pool, as its parent sees it. */
export class EngineProcess {
  readonly #child: ChildProcess<ToProcess>
  readonly #clock: Clock
  #work: Work | undefined
  #timedOut = false
  #isReady = false
  /** The value that the process holds. */
  #shared: { value: unknown } | undefined
  /** The owner of the last task. */
  lastOwner: string | undefined
  isGone = false
  readonly ended: Promise<void>

  constructor(limits: ProcessLimits) {
    this.#child = startChildProcess<ToProcess, FromProcess>(program, (message) => this.#receive(message), {
      args: [String(process.pid), String(limits.maxMemoryBytes)],
      v8Options: [`--max-old-space-size=${Math.round(limits.maxHeapBytes / 2 ** 20)}`, ...forParsing],
    })
    if (limits.isBackground) lowerPriority(this.#child.pid)
    this.#child.keepAlive(false)
    this.#clock = new Clock(() => {
      this.#timedOut = true
      this.#child.kill()
    })
    this.ended = this.#child.ended.then((end) => this.#end(end))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  holds(shared: unknown): boolean {
    return this.#shared !== undefined && this.#shared.value === shared
  }

  load(url: string): void {
    this.#child.send({ load: url })
  }

  /** Works on one task. Call it only while no other task runs. Resolves or rejects when the process is free or gone. */
  async run<Input, Result, Question, Answer, Shared>(
    task: Task<Input, Result, Question, Answer, Shared>,
    input: Input,
    options: TaskOptions<Question, Answer, Shared> & { timeoutMs: number },
  ): Promise<Result> {
    const { signal, shared, timeoutMs } = options
    const work: Work = {
      // The task's module and its caller agree on these types through `taskAt`.
      options: options as Work['options'],
      outcome: Promise.withResolvers<unknown>(),
      step: undefined,
      unanswered: 0,
      refusal: undefined,
    }
    this.#work = work
    const abandon = () => this.#refuse(work, signal?.reason)
    signal?.addEventListener('abort', abandon)
    this.#child.keepAlive(true)
    this.#clock.start(timeoutMs + (this.#isReady ? 0 : startMs))
    this.#child.send({ run: { url: task.url, input, ...(this.holds(shared) ? {} : { shared: { value: shared } }) } })
    this.#shared = { value: shared }
    try {
      const result = await work.outcome.promise
      if (work.refusal) throw work.refusal.error
      return result as Result
    } catch (error) {
      throw work.refusal ? work.refusal.error : error
    } finally {
      this.#clock.stop()
      signal?.removeEventListener('abort', abandon)
      this.#child.keepAlive(false)
      this.#work = undefined
    }
  }

  async close(): Promise<void> {
    // Waiting for the end of the process must not end this one.
    this.#child.keepAlive(true)
    this.#child.kill()
    await this.ended
  }

  #receive(message: FromProcess): void {
    const work = this.#work
    if ('ready' in message) {
      this.#isReady = true
      if (work) this.#clock.start(work.options.timeoutMs)
    } else if (!work) return
    else if ('asked' in message) void this.#answer(work, message)
    else if ('step' in message) {
      work.step = message.step
      this.#clock.start(work.options.timeoutMs)
    } else if ('finished' in message) work.outcome.resolve(message.finished)
    else work.outcome.reject(errorOf(message.failed, work.step))
  }

  async #answer(work: Work, { asked, question }: Extract<FromProcess, { asked: number }>): Promise<void> {
    if (work.unanswered++ === 0) this.#clock.pause()
    try {
      if (work.refusal) throw work.refusal.error
      const answer = await work.options.onAsk?.(question)
      this.#child.send({ answered: asked, answer })
    } catch (error) {
      this.#child.send({ refused: asked })
      this.#refuse(work, error)
    }
    if (--work.unanswered === 0 && this.#work === work) this.#clock.resume()
  }

  /** The task gets no more answers and soon ends. If it does not, its process is killed. */
  #refuse(work: Work, error: unknown): void {
    if (work.refusal || this.#work !== work) return
    work.refusal = { error }
    this.#clock.start(abandonedMs)
  }

  #end(end: ChildProcessEnd): void {
    this.isGone = true
    this.#clock.stop()
    this.#work?.outcome.reject(end.error ?? this.#failureOf(end, this.#work))
  }

  #failureOf({ code, signal, stderr }: ChildProcessEnd, { step, options }: Work): TaskFailure {
    if (this.#timedOut) {
      return new TaskFailure('timeout', `took longer than ${Math.round(options.timeoutMs / 100) / 10} s to read`, step)
    }
    if (signal === 'SIGABRT' || code === 134 || /heap out of memory/.test(stderr)) {
      return new TaskFailure('memory', 'needed too much memory to read', step)
    }
    if (isCrash.has(signal) || (code !== null && code > 128)) {
      return new TaskFailure('crash', 'made the process that read it crash', step, stderr.trim())
    }
    const problem = 'could not be read, because the process that read it was stopped'
    return new TaskFailure('lost', problem, step, stderr.trim())
  }
}

function errorOf({ isOverflow, message, stack }: Extract<FromProcess, { failed: unknown }>['failed'], step?: string) {
  if (isOverflow) return new TaskFailure('overflow', 'nests too deep or is too large to read', step, message)
  const error = new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}

/** A deadline that can stand still. */
class Clock {
  readonly #onEnd: () => void
  #timer: NodeJS.Timeout | undefined
  #left = 0
  #startedAt = 0
  #isPaused = false

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  start(ms: number): void {
    clearTimeout(this.#timer)
    this.#left = ms
    if (!this.#isPaused) this.#run()
  }

  pause(): void {
    this.#isPaused = true
    clearTimeout(this.#timer)
    this.#left -= performance.now() - this.#startedAt
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#run()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#isPaused = false
  }

  #run(): void {
    this.#startedAt = performance.now()
    this.#timer = setTimeout(this.#onEnd, Math.max(1, this.#left))
  }
}
