import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Config } from '../core/config.ts'

/** What test runs can be confined with. Whether it works here, core finds out before the first run. */
const programs = ['bwrap', 'runsc', 'docker']

/** What to do where no sandbox for test runs is installed; undefined where one is, or was chosen. */
export function sandboxHint({ runs }: Pick<Config, 'runs'>, path: string): string | undefined {
  if (runs.executor !== 'auto') return undefined
  const folders = path.split(delimiter)
  if (programs.some((program) => folders.some((folder) => isExecutable(join(folder, program))))) return undefined
  return process.platform === 'linux'
    ? 'To run tests it needs a sandbox: apt install bubblewrap'
    : 'To run tests it needs Docker, or EXECUTOR=local, but only for code that you trust.'
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
