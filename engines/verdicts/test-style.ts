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

/** Returns the counts of a test without those of an earlier version of its file. */
export function addedStyle(style: TestStyle | null, original: TestStyle | null): TestStyle | null {
  if (style === null || original === null) return style
  const added = (of: 'assertions' | 'weakAssertions' | 'mocks') => Math.max(0, style[of] - original[of])
  const [assertions, weakAssertions, mocks] = [added('assertions'), added('weakAssertions'), added('mocks')]
  return { assertions, weakAssertions, mocks, mockShare: mocks === 0 ? 0 : mocks / (mocks + assertions) }
}
