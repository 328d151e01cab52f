import { readSource, type SourceFile } from '../parsing/source-file.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { TestStyle } from './schema.ts'

export type StyleWork = TaskWork<SourceFile, TestStyle | null>

const task = taskAt<StyleWork>(new URL('style-task.ts', import.meta.url))

/**
 * Counts the assertions and mocks in the source of a test. Assertions that only use constants do not count. Returns null
 * for unsupported languages and invalid syntax.
 */
export async function readTestStyle(runner: TaskRunner, path: string, source: string): Promise<TestStyle | null> {
  return (await readSource(runner, task, { path, source })) ?? null
}
