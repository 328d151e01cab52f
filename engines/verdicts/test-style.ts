import { fileURLToPath } from 'node:url'
import { readApart } from '../parsing/read-apart.ts'
import type { TestStyle } from './schema.ts'

const program = fileURLToPath(new URL('style-process.ts', import.meta.url))

/**
 * Counts the assertions and mocks in the text of a test; null for languages without a reader and for sources that
 * cannot be parsed. An assertion on constants only does not count. Reads the source in a child process.
 */
export async function readTestStyle(path: string, source: string): Promise<TestStyle | null> {
  return (await readApart<TestStyle | null>(program, { path, source })) ?? null
}
