import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'

const main = resolve(import.meta.dirname, '../main.ts')

export interface Typed {
  cwd?: string
  env?: Record<string, string>
  /** What is piped into it; nothing unless told. */
  input?: string
}

export interface Ended {
  exitCode: number | null
  stdout: string
  stderr: string
}

/** A person types `assay` and these words. It gets what it needs to run, and nothing of our own settings. */
export function startAssay(words: readonly string[], { cwd, env = {} }: Typed = {}): ChildProcess {
  return spawn(process.execPath, [main, ...words], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../node_modules/.cache/assay/code'),
      // No login, and no token of local mode, of whoever runs the tests.
      XDG_CONFIG_HOME: '/nonexistent',
      DATA_DIR: '/nonexistent',
      ...env,
    },
  })
}

/** The same, to the end. */
export async function assay(words: readonly string[], typed: Typed = {}): Promise<Ended> {
  const child = startAssay(words, typed)
  child.stdin?.end(typed.input ?? '')
  return ended(child)
}

export async function ended(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('the child has no pipes')
  const [out, err] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
  return { exitCode: child.exitCode, stdout: out, stderr: err }
}
