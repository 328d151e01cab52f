import { type Task, TaskFailure, type TaskRunner } from '../processes/tasks.ts'

/** One source file for a task. */
export interface SourceFile {
  path: string
  source: string
}

const maxSourceBytes = 1_024 * 1_024
/** A source within the size limit takes a second or two. Only hostile input takes longer. */
const timeoutMs = 10_000

/** Returns undefined for sources that are too large, take too long, or make the reader throw or crash. */
export async function readSource<Input extends SourceFile, Result>(
  runner: TaskRunner,
  task: Task<Input, Result>,
  input: Input,
): Promise<Result | undefined> {
  if (Buffer.byteLength(input.source) > maxSourceBytes) return undefined
  try {
    return await runner.run(task, input, { timeoutMs })
  } catch (error) {
    if (error instanceof TaskFailure) return undefined
    throw error
  }
}
