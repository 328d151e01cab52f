import { taskAt, type TaskRunner, type TaskWork } from '../../processes/tasks.ts'
import type { OldCode, OldCodeInput } from './old-code.ts'

export type OldCodeWork = TaskWork<OldCodeInput, OldCode>

const task = taskAt<OldCodeWork>(new URL('old-code-task.ts', import.meta.url))

/**
 * Calls `readOldCode` in another process, because it reads sources of strangers.
 *
 * @throws TaskFailure if the sources cannot be read within the limits
 */
export const readOldCodeApart = (runner: TaskRunner, input: OldCodeInput): Promise<OldCode> => runner.run(task, input)
