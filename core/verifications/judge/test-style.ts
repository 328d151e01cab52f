import type { TestStyle } from '../schema.ts'
import { readApart } from '../syntax/read-apart.ts'

/**
 * What the text of a test shows; null for languages that are not read, and for what cannot be parsed. An assertion on
 * nothing but constants is none. The source is read in a process of its own.
 */
export async function readTestStyle(path: string, source: string): Promise<TestStyle | null> {
  const read = await readApart({ find: 'style', path, source })
  return read?.style ?? null
}
