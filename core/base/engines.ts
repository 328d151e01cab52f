import { availableParallelism } from 'node:os'
import { ProcessPool } from '../../engines/processes/pool.ts'
import { TaskFailure, type TaskRunner } from '../../engines/processes/tasks.ts'
import type { Context } from './context.ts'

declare module './context.ts' {
  interface Services {
    /** The processes that parse what strangers wrote. This process parses only its own protocols. */
    engines: Engines
  }
}

export interface Engines extends AsyncDisposable {
  /** For callers who wait for an answer. Its tasks are short. */
  interactive: ProcessPool
  /** For uploads, runs and verifications. */
  background: ProcessPool
}

export function openEngines({ readTimeoutMs: timeoutMs }: Context['config']): Engines {
  const interactive = new ProcessPool({ size: 2, timeoutMs })
  const background = new ProcessPool({ size: availableParallelism(), timeoutMs, isBackground: true })
  return {
    interactive,
    background,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([interactive, background].map((pool) => pool[Symbol.asyncDispose]()))
    },
  }
}

/** Returns the runner of tasks for an owner, who shares the processes fairly with others. See `ownerOf`. */
export function engineRunner(
  { engines, signal }: Pick<Context, 'engines' | 'signal'>,
  lane: 'interactive' | 'background',
  owner: string,
): TaskRunner {
  return engines[lane].runnerFor(owner, signal)
}

/** Whether a process of a task was killed from outside, so that another attempt may succeed. */
export const isLostProcess = (error: unknown): boolean => error instanceof TaskFailure && error.reason === 'lost'
