import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Config } from '../core/config.ts'

/** Programs that can sandbox test runs. Core checks before the first run whether they work. */
const programs = ['bwrap', 'runsc', 'docker']

/** Says how to get a sandbox for test runs. Undefined where one is installed or configured. */
export function sandboxHint({ runs }: Pick<Config, 'runs'>, path: string): string | undefined {
  if (runs.executor !== 'auto') return undefined
  const folders = path.split(delimiter)
  if (programs.some((program) => folders.some((folder) => isExecutable(join(folder, program))))) return undefined
  return process.platform === 'linux'
    ? 'To run tests, install a sandbox: apt install bubblewrap'
    : 'To run tests, install Docker. For code that you trust, EXECUTOR=local runs without a sandbox.'
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
