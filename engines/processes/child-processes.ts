import { fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isErrno } from '../source/files.ts'
import { bundleOf } from './bundle-of.ts'

const codeCache = fileURLToPath(new URL('../../node_modules/.cache/assay/code', import.meta.url))

/** Of 19: processes that answer requests go first when the machine is busy, and analyses still make progress. */
const niceness = 5
const maxStderrLength = 2_000

/**
 * V8 options for processes that work for seconds. V8's optimizing compilers take a quarter of their processor time; with
 * this, the last of them compiles only what runs ten times as often as by default.
 */
export const forShortWork = ['--invocation-count-for-turbofan=30000']

/** V8 options for parsing: what it makes of a file is large and dies young, and a larger nursery copies less of it. */
export const forParsing = ['--min-semi-space-size=16', '--max-semi-space-size=32']

export interface ChildProcessOptions {
  args?: string[]
  v8Options?: string[]
  /** Names of the environment variables that the process gets. It gets no others, and so no secrets. */
  inherit?: string[]
  /** Makes the process the leader of a group, so that `kill` also ends the processes that it started. */
  group?: boolean
  /** Open files that the process can use, as descriptors from 4 on. */
  files?: number[]
}

export interface ChildProcess<Sent> {
  readonly pid: number | undefined
  /** Drops the message if the process cannot receive it any more. */
  send(message: Sent): void
  isConnected(): boolean
  disconnect(): void
  kill(): void
  /** Whether the process keeps this one from ending. It does at first. */
  keepAlive(isNeeded: boolean): void
  /** Resolves when the process has exited and its last message has arrived. */
  readonly ended: Promise<ChildProcessEnd>
}

export interface ChildProcessEnd {
  code: number | null
  signal: NodeJS.Signals | null
  /** The last characters of its error output. */
  stderr: string
  /** Why the process could not be started. */
  error?: Error
}

/** Starts a Node program that reads hostile files, without secrets in its environment. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type of the message, which is ours by contract
export function startChildProcess<Sent extends object, Received>(
  program: string,
  onMessage: (message: Received) => void,
  { args = [], v8Options = [], inherit = [], group = false, files = [] }: ChildProcessOptions,
): ChildProcess<Sent> {
  const child = fork(bundleOf(program), args, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', ...files],
    env: isolatedEnvironment(inherit),
    execArgv: v8Options,
    detached: group,
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderrLength)
  })
  child.on('message', (message: Received) => onMessage(message))
  const ended = new Promise<ChildProcessEnd>((resolve) => {
    child.on('error', (error) => {
      // Also raised when a dying process cannot receive a message; that process still emits `exit`.
      if (child.pid === undefined) resolve({ code: null, signal: null, stderr, error })
    })
    child.once('exit', (code, signal) => {
      const end = () => resolve({ code, signal, stderr })
      if (child.connected) child.once('disconnect', end)
      else end()
    })
  })
  return {
    pid: child.pid,
    ended,
    send(message) {
      if (child.connected) child.send(message, () => undefined)
    },
    isConnected: () => child.connected,
    disconnect() {
      if (child.connected) child.disconnect()
    },
    kill() {
      if (group) killGroup(child.pid)
      else child.kill('SIGKILL')
    },
    keepAlive(isNeeded) {
      const change = isNeeded ? 'ref' : 'unref'
      child[change]()
      child.channel?.[change]()
      if (child.stderr instanceof Socket) child.stderr[change]()
    },
  }
}

/** Includes where Node keeps compiled code: without it, compiling takes longer than reading the first files. */
function isolatedEnvironment(inherited: readonly string[]): Record<string, string> {
  const environment: Record<string, string> = { NODE_COMPILE_CACHE: getCompileCacheDir() ?? codeCache }
  for (const name of inherited) {
    const value = process.env[name]
    if (value !== undefined) environment[name] = value
  }
  return environment
}

/** Lowers the priority of a process and of the processes that it starts from now on. */
export function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, niceness)
  } catch {
    // The process has ended, or the system forbids it. The work succeeds either way.
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // All processes of the group have ended.
    if (!isErrno(error, 'ESRCH')) throw error
  }
}
