import type { ChildProcess } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

const codeCache = fileURLToPath(new URL('../../node_modules/.cache/assay/code', import.meta.url))

/** Of 19: whoever answers requests goes first when the machine is busy, and analyses still get on. */
const niceness = 5

/**
 * The environment of processes that handle what strangers wrote: no secrets, only what is named, and where Node keeps
 * compiled code. Without that, compiling takes longer than anything else that they do before their first file.
 */
export function isolatedEnvironment(...inherited: string[]): Record<string, string> {
  const environment: Record<string, string> = { NODE_COMPILE_CACHE: getCompileCacheDir() ?? codeCache }
  for (const name of inherited) {
    const value = process.env[name]
    if (value !== undefined) environment[name] = value
  }
  return environment
}

/** Analysing can wait for whoever answers requests on the same machine; what the process starts inherits that. */
export function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    setPriority(pid, niceness)
  } catch {
    // Gone already, or not allowed here: it works all the same.
  }
}
