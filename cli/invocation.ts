import type { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import type { Interruption } from './interrupt.ts'
import type { Terminal } from './output.ts'

/** The input of the program from its shell. Code below `main.ts` does not read `process`. */
export interface Invocation {
  /** Without the names of Node and of the program. */
  args: readonly string[]
  env: Readonly<NodeJS.ProcessEnv>
  cwd: string
  stdin: Readable & { isTTY?: boolean }
  stdout: Terminal
  stderr: Terminal
  /** Emits SIGINT, SIGTERM and SIGHUP. */
  signals: EventEmitter
  /** Sets the exit code of the process for the case that this program breaks. */
  fallBackTo: (exitCode: number) => void
}

/** A command while it runs. */
export interface RunningInvocation extends Invocation {
  interruption: Interruption
  exitCode: number
}

/** The base of relative paths and of `~`. */
export type Place = Pick<Invocation, 'cwd' | 'env'>
