import { fileURLToPath } from 'node:url'
import { readApart } from '../parsing/read-apart.ts'
import type { TestStyle } from './schema.ts'

const program = fileURLToPath(new URL('style-process.ts', import.meta.url))

/**
 * Counts the assertions and mocks in the source of a test, in a child process. Assertions that only use constants do not
 * count. Returns null for unsupported languages and invalid syntax.
 */
export async function readTestStyle(path: string, source: string): Promise<TestStyle | null> {
  return (await readApart<TestStyle | null>(program, { path, source })) ?? null
}
