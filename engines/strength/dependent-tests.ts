import { readSource, type SourceFile } from '../parsing/source-file.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'

export type DependentTestsWork = TaskWork<SourceFile, boolean>

const task = taskAt<DependentTestsWork>(new URL('dependent-tests-task.ts', import.meta.url))

/**
 * Whether tests of a file seem to build on each other, or on what runs after them, so that one of them alone does not tell
 * what the file notices. Knows only JavaScript and TypeScript: elsewhere each mutant runs in a process of its own.
 */
export async function haveDependentTests(runner: TaskRunner, path: string, source: string): Promise<boolean> {
  return (await readSource(runner, task, { path, source })) ?? false
}
