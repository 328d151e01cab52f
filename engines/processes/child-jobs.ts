import { RepositoryError, type RepositoryErrorCode } from '../source/types.ts'
import type { ChildProcessEnd, ChildProcessOptions } from './child-processes.ts'
import { type JobProcess, keepProcess, startJobProcess, takeKept } from './kept-process.ts'

/** The time for a child to remove locks and temporary files and end its own children after its parent disconnects. */
const cleanupMs = 2_000
/** After this time, a child without a parent ends itself. */
const orphanMs = 5_000

type Answer<Result> =
  | { finished: Result }
  /** With the code of a RepositoryError, which the user can act on. Anything else is a defect. */
  | { failed: { code: RepositoryErrorCode | undefined; message: string; stack: string | undefined } }

type FromChild<Result, Event> = Answer<Result> | { event: Event } | { asked: number; question: unknown }
type ToChild = { job: unknown; stays: boolean } | { answered: number; answer: unknown } | { refused: number }

export interface JobOptions<Event> extends ChildProcessOptions {
  signal?: AbortSignal
  timeoutMs?: number
  onEvent?: (event: Event) => void
  /** Answers what the child asks with `JobContext.ask`. If it rejects, the job fails with its error. */
  onAsk?: (question: unknown) => Promise<unknown>
  /** When it has finished, the process is kept for a while, for the next job with the same text. */
  keepFor?: string
}

/** The process ended without an answer: it crashed, was killed or took too long. */
export class UnansweredJob extends Error {
  override name = 'UnansweredJob'
  readonly end: ChildProcessEnd
  readonly timedOut: boolean
  constructor(end: ChildProcessEnd, timedOut: boolean) {
    super(`The process ended without an answer: ${describeEnd(end)}${end.stderr && ` It said: ${end.stderr.trim()}`}`)
    this.end = end
    this.timedOut = timedOut
  }
}

/**
 * Runs one job in a child process, which can neither crash nor block this one, and waits for the process to end, unless it
 * is kept for the next job.
 *
 * @param program - the file of the child process; it calls `answerJob`
 */
export async function runInChildProcess<Result, Event = never>(
  program: string,
  job: object,
  options: JobOptions<Event>,
): Promise<Result> {
  options.signal?.throwIfAborted()
  const key = options.keepFor === undefined ? undefined : `${program} ${options.keepFor}`
  const kept = key === undefined ? undefined : takeKept(key)
  if (kept) {
    try {
      return await runIn<Result, Event>(kept, job, key, options)
    } catch (error) {
      // It may have ended while it was waiting.
      if (!(error instanceof UnansweredJob) || error.timedOut) throw error
    }
  }
  return await runIn<Result, Event>(startJobProcess(program, options), job, key, options)
}

async function runIn<Result, Event>(
  process: JobProcess,
  job: object,
  key: string | undefined,
  { signal, timeoutMs, onEvent, onAsk }: JobOptions<Event>,
): Promise<Result> {
  const { child } = process
  let answer: Answer<Result> | undefined
  const answered = Promise.withResolvers<undefined>()
  let refusal: { error: unknown } | undefined
  const reply = async (asked: number, question: unknown) => {
    try {
      child.send({ answered: asked, answer: await onAsk?.(question) } satisfies ToChild)
    } catch (error) {
      refusal ??= { error }
      child.send({ refused: asked } satisfies ToChild)
    }
  }
  process.receive = (received) => {
    const message = received as FromChild<Result, Event>
    if ('event' in message) onEvent?.(message.event)
    else if ('asked' in message) void reply(message.asked, message.question)
    else {
      answer = message
      answered.resolve(undefined)
    }
  }
  let timedOut = false
  let cleanup: NodeJS.Timeout | undefined
  const stop = () => {
    child.disconnect()
    cleanup ??= setTimeout(() => child.kill(), cleanupMs)
  }
  const expire = () => {
    timedOut = true
    stop()
  }
  const deadline = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs)
  signal?.addEventListener('abort', stop)
  let mayStay = false
  try {
    child.send({ job, stays: key !== undefined } satisfies ToChild)
    const end = await (key === undefined ? child.ended : Promise.race([answered.promise, child.ended]))
    if (end?.error) throw end.error
    if (refusal) throw refusal.error
    if (answer && 'finished' in answer) {
      mayStay = key !== undefined && child.isConnected()
      return answer.finished
    }
    signal?.throwIfAborted()
    if (!answer) throw new UnansweredJob(await child.ended, timedOut)
    throw errorOf(answer.failed)
  } finally {
    clearTimeout(deadline)
    clearTimeout(cleanup)
    signal?.removeEventListener('abort', stop)
    if (mayStay && key !== undefined) keepProcess(key, process)
    else child.kill()
  }
}

export interface JobContext<Event> {
  /** Aborted when the parent disconnects: it died, or needs no answer any more. */
  signal: AbortSignal
  report: (event: Event) => Promise<void>
  /** Asks the parent; see `JobOptions.onAsk`. Rejects if the parent has no answer. */
  ask: (question: unknown) => Promise<unknown>
}

/** The child's side of `runInChildProcess`: answers one job, or several if its parent keeps it, then ends. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type of the message, which is ours by contract
export function answerJob<Job, Event = never>(
  work: (job: Job, context: JobContext<Event>) => Promise<unknown>,
  { group = false }: Pick<ChildProcessOptions, 'group'> = {},
): void {
  const abort = new AbortController()
  const end = () => {
    abort.abort()
    setTimeout(() => process.kill(group ? -process.pid : process.pid, 'SIGKILL'), orphanMs).unref()
  }
  if (process.connected) process.once('disconnect', end)
  else end()
  const questions = new Questions()
  const context: JobContext<Event> = {
    signal: abort.signal,
    report: (event) => send({ event }),
    ask: (question) => questions.ask(question),
  }
  const answer = async (job: Job, stays: boolean) => {
    await send(await work(job, context).then((finished) => ({ finished }), failureOf))
    if (!stays && process.connected) process.disconnect()
  }
  process.on('message', (message: ToChild) => {
    if ('job' in message) void answer(message.job as Job, message.stays)
    else questions.settle(message)
  })
  // Without this, nothing would settle the questions of a child whose parent has ended.
  process.once('disconnect', () => questions.refuse())
}

/** The questions to the parent that it has not answered yet. */
class Questions {
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>()
  #asked = 0

  async ask(question: unknown): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>()
    this.#open.set(++this.#asked, answer)
    await send({ asked: this.#asked, question })
    return answer.promise
  }

  settle(message: Exclude<ToChild, { job: unknown }>): void {
    if ('refused' in message) this.#open.get(message.refused)?.reject(new Error('The parent has no answer.'))
    else this.#open.get(message.answered)?.resolve(message.answer)
  }

  refuse(): void {
    for (const question of this.#open.values()) question.reject(new Error('The parent has ended.'))
  }
}

function send(message: FromChild<unknown, unknown>): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected || !process.send) resolve()
    // A parent that has disconnected meanwhile does not need the message.
    else process.send(message, undefined, undefined, () => resolve())
  })
}

function failureOf(thrown: unknown): Answer<never> {
  const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown))
  return { failed: { code: thrown instanceof RepositoryError ? thrown.code : undefined, message, stack } }
}

function errorOf({ code, message, stack }: Extract<Answer<never>, { failed: unknown }>['failed']): Error {
  if (code !== undefined) return new RepositoryError(code, message)
  const error = new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}

function describeEnd({ code, signal }: ChildProcessEnd): string {
  if (signal === 'SIGKILL') return 'signal SIGKILL. It was killed, or the machine ran out of memory.'
  if (signal === 'SIGABRT' || code === 134) return 'signal SIGABRT. It needed more memory than it may use.'
  return signal ? `signal ${signal}.` : `exit code ${code}.`
}
