/** What a task can do besides returning its result. */
export interface TaskContext<Question = never, Answer = never, Shared = undefined> {
  /** The value of `TaskOptions.shared`. The process keeps it for the next task, so values can be cached by its identity. */
  shared: Shared
  /** Asks the caller, or hands over a part of the result. The clock of the deadline stops until the answer. */
  ask: (question: Question) => Promise<Answer>
  /** Begins the next part of the task, such as a file. It has the whole time, and the failure names it. */
  step: (label: string) => void
}

/** The work of a task. A task module exports it as its default, and runs in a process of the pool. */
export type TaskWork<Input, Result, Question = never, Answer = never, Shared = undefined> = (
  input: Input,
  context: TaskContext<Question, Answer, Shared>,
) => Promise<Result> | Result

/** A task module, with the types of its work. */
export interface Task<Input, Result, Question = never, Answer = never, Shared = undefined> {
  readonly url: string
  /** Only carries the types. */
  readonly work?: TaskWork<Input, Result, Question, Answer, Shared>
}

type TaskOf<Work> =
  Work extends TaskWork<infer Input, infer Result, infer Question, infer Answer, infer Shared>
    ? Task<Input, Result, Question, Answer, Shared>
    : never

/**
 * Names a task module: `taskAt<PlanWork>(new URL('plan-task.ts', import.meta.url))`. The module is loaded only in the
 * process, can import whatever parses, and declares its default export as a `PlanWork`.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type of the module, which is ours by contract
export function taskAt<Work extends (input: never, context: never) => unknown>(url: URL): TaskOf<Work>
export function taskAt(url: URL): unknown {
  return { url: url.href }
}

export interface TaskOptions<Question = never, Answer = never, Shared = undefined> {
  /** Time for the task, or for each of its steps. Waiting for a process and for answers does not count. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Given to the process only if its last task had another one. Never change it. */
  shared?: Shared
  /** Whether the task can start again if its process is lost, although it was given answers. */
  isRepeatable?: boolean
  onAsk?: (question: Question) => Promise<Answer> | Answer
}

/** Runs tasks for one owner. */
export interface TaskRunner {
  /**
   * @throws TaskFailure if the task takes too long, needs too much memory, or ends its process
   * @throws PoolFull if too many tasks of the owner wait
   */
  run<Input, Result, Question = never, Answer = never, Shared = undefined>(
    task: Task<Input, Result, Question, Answer, Shared>,
    input: Input,
    options?: TaskOptions<Question, Answer, Shared>,
  ): Promise<Result>
  /** Starts a process that loads the task, unless one is idle. Call it while waiting for the input. */
  warm(task: Pick<Task<never, unknown>, 'url'>): void
}

/**
 * `timeout` and `memory`: the task exceeded a limit. `overflow`: the input nests too deep or is too long for a value of
 * JavaScript. `crash`: a parser ended the process. `lost`: the process was killed from outside, so trying again may help.
 */
export type TaskFailureReason = 'timeout' | 'memory' | 'overflow' | 'crash' | 'lost'

/** The task has no result because of its input, unless its process was lost. */
export class TaskFailure extends Error {
  override name = 'TaskFailure'
  readonly reason: TaskFailureReason
  /** The step that failed. */
  readonly step: string | undefined
  /** Completes a sentence that begins with the file: "took longer than 60 s to read". */
  readonly problem: string
  constructor(reason: TaskFailureReason, problem: string, step?: string, detail = '') {
    super(`The input${step === undefined ? '' : ` ${step}`} ${problem}.${detail && ` The process wrote: ${detail}`}`)
    this.reason = reason
    this.step = step
    this.problem = problem
  }
}

/** Too many tasks of the owner, or of all owners, wait for a process. */
export class PoolFull extends Error {
  override name = 'PoolFull'
}

export interface RunMessage {
  url: string
  input: unknown
  /** Absent if the process holds the value of its last task. */
  shared?: { value: unknown }
}

export type ToProcess =
  | { run: RunMessage }
  | { load: string }
  | { answered: number; answer: unknown }
  | { refused: number }

export type FromProcess =
  | { ready: true }
  | { asked: number; question: unknown }
  | { step: string }
  | { finished: unknown }
  | { failed: { isOverflow: boolean; message: string; stack: string | undefined } }
