import { taskAt, type TaskRunner, type TaskWork } from '../../processes/tasks.ts'
import type { PartToRestore, RestoreInput } from './parts-to-restore.ts'

export type RestoreWork = TaskWork<RestoreInput, PartToRestore[]>

const task = taskAt<RestoreWork>(new URL('restore-task.ts', import.meta.url))

/**
 * Calls `partsToRestore` in another process, because it reads sources of strangers.
 *
 * @throws TaskFailure if the sources cannot be read within the limits
 */
export const partsToRestoreApart = (runner: TaskRunner, input: RestoreInput): Promise<PartToRestore[]> =>
  runner.run(task, input)
