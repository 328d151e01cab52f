import type { TestCase } from './report.ts'

export interface FailureText {
  message: string | null
  stack: string | null
  /** The file of the test. */
  file: string | null
  /** Titles around the test; on the JVM, its class. */
  suite: string
}

export interface FingerprintOptions {
  /** Folders of the repository that absolute paths in the texts begin with. */
  roots: readonly string[]
  /** The folder of the repository in which the tests ran: relative paths in the texts begin there. */
  directory?: string
}

/** Returns the texts that the fingerprint of a result describes. A test that passed has those of its last failed attempt. */
export function failureOf({ status, suite, file, message, stack, attempts }: TestCase): FailureText | null {
  if (status === 'failed') return { message, stack, file, suite }
  const failed = status === 'passed' ? attempts.findLast((attempt) => attempt.status === 'failed') : undefined
  return failed ? { message: failed.message, stack: failed.stack ?? null, file, suite } : null
}

/** Returns the roots that are the repository itself, and not the folder in which the tests ran. */
export const repositoryRoots = (roots: readonly string[], directory = ''): string[] =>
  directory === '' ? [...roots] : roots.filter((root) => !root.endsWith(`/${directory}`))

/** Finds the folder of the repository in a stack that names the file of its test by the absolute path. */
export function guessRoot({ file, stack }: Pick<FailureText, 'file' | 'stack'>): string | null {
  if (file === null || stack === null) return null
  const end = stack.indexOf(`/${file}`)
  let start = end
  for (let at = end - 1; at >= 0 && end - at < 500; at--) {
    const character = stack[at] ?? ''
    if (' \t\n()\'":'.includes(character)) break
    if (character === '/') start = at
  }
  return start < end ? stack.slice(start, end) : null
}
