import type { Ranges } from '../coverage/ranges.ts'
import { readSource, type SourceFile } from '../parsing/source-file.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { TestStyle } from './schema.ts'

export type StyleWork = TaskWork<SourceFile, TestStyle | null>

export type ExpectedErrorsWork = TaskWork<SourceFile, Ranges>

const task = taskAt<StyleWork>(new URL('style-task.ts', import.meta.url))
const errorsTask = taskAt<ExpectedErrorsWork>(new URL('expected-errors-task.ts', import.meta.url))

/**
 * Counts the assertions and mocks in the source of a test. Assertions that only use constants do not count. Returns null
 * for unsupported languages and invalid syntax.
 */
export async function readTestStyle(runner: TaskRunner, path: string, source: string): Promise<TestStyle | null> {
  return (await readSource(runner, task, { path, source })) ?? null
}

/**
 * Returns the lines of a test from which it expects an error, such as the block of `pytest.raises(ValueError)`. Every other
 * error leaves these lines with its own class and message, so nothing else shows that an assertion noticed it. Knows only
 * Python: elsewhere, such assertions catch all errors, and report the wrong ones themselves.
 */
export async function readExpectedErrors(runner: TaskRunner, path: string, source: string): Promise<Ranges> {
  return (await readSource(runner, errorsTask, { path, source })) ?? []
}

/** Returns the counts of a test without those of an earlier version of its file. */
export function addedStyle(style: TestStyle | null, original: TestStyle | null): TestStyle | null {
  if (style === null || original === null) return style
  const added = (of: 'assertions' | 'weakAssertions' | 'mocks') => Math.max(0, style[of] - original[of])
  const [assertions, weakAssertions, mocks] = [added('assertions'), added('weakAssertions'), added('mocks')]
  return { assertions, weakAssertions, mocks, mockShare: mocks === 0 ? 0 : mocks / (mocks + assertions) }
}
