import type { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import type { Interruption } from './interrupt.ts'
import type { Terminal } from './output.ts'

/** What the program gets from the shell that starts it. No code below `main.ts` reads any of it from `process`. */
export interface Invocation {
  /** Without the names of Node and of the program. */
  args: readonly string[]
  env: Readonly<NodeJS.ProcessEnv>
  cwd: string
  stdin: Readable & { isTTY?: boolean }
  stdout: Terminal
  stderr: Terminal
  /** Emits SIGINT and SIGTERM. */
  signals: EventEmitter
}

/** A command while it runs. */
export interface RunningInvocation extends Invocation {
  interruption: Interruption
  exitCode: number
}

/** Where paths begin, and `~` leads. */
export type Place = Pick<Invocation, 'cwd' | 'env'>
