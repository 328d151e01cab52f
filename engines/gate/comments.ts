import { readSource, type SourceFile } from '../parsing/source-file.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'

export type CommentsWork = TaskWork<SourceFile, string>

const task = taskAt<CommentsWork>(new URL('comments-task.ts', import.meta.url))

/** Removes the comments of JavaScript or TypeScript, but no line, in another process. Code that cannot be parsed stays. */
export const codeWithoutComments = async (runner: TaskRunner, file: SourceFile): Promise<string> =>
  (await readSource(runner, task, file)) ?? file.source
