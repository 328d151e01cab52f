import { taskAt, type TaskRunner, type TaskWork } from '../../processes/tasks.ts'
import type { ChangeFacts } from './facts.ts'
import type { JudgedChange } from './judge-change.ts'

export type JudgeWork = TaskWork<ChangeFacts, JudgedChange>

const task = taskAt<JudgeWork>(new URL('judge-task.ts', import.meta.url))

/**
 * Calls `judgeChange` in another process, because it reads sources and reports of strangers.
 *
 * @throws TaskFailure if the facts cannot be judged within the limits
 */
export const judgeChangeApart = (runner: TaskRunner, facts: ChangeFacts): Promise<JudgedChange> =>
  runner.run(task, facts)
