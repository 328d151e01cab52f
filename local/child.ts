import { type ChildProcess, fork } from 'node:child_process'
import { appendFileSync, closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { LaunchError } from './launch-error.ts'

const projectRoot = resolve(import.meta.dirname, '..')
const codeCache = resolve(projectRoot, 'node_modules/.cache/assay/code')
const maxLogBytes = 10 * 1_048_576
const stopTimeout = 15_000
const longestComplaint = 8_000

export interface ChildOptions {
  name: string
  /** Relative to the project's root. */
  script: string
  args?: string[]
  environment: NodeJS.ProcessEnv
  /** Where its log goes; undefined lets it write to our own standard output. */
  logFile: string | undefined
}

/** What a program of ours says once it serves. */
export interface Ready {
  ready: true
  port: number
  tokenFile?: string
  baseUrl?: string
  /** Signs local mode's owner in, once. */
  signInLink?: string
}

export interface Child {
  ready: Ready
  /** Settles when the process has ended, with what to tell a person; undefined when it was asked to stop. */
  ended: Promise<string | undefined>
  stop(): Promise<void>
}

/**
 * Starts one of our programs and waits until it serves. It runs in a session of its own, so that Ctrl-C reaches the
 * launcher alone, and it stops by itself when the launcher is gone.
 *
 * @throws LaunchError with what the program wrote on standard error when it ends before it serves
 */
export async function startChild({ name, script, args = [], environment, logFile }: ChildOptions): Promise<Child> {
  const log = logFile === undefined ? undefined : openLog(logFile)
  const child = fork(resolve(projectRoot, script), args, {
    cwd: projectRoot,
    // Where Node keeps compiled code: without it, compiling is half of every start.
    env: { NODE_COMPILE_CACHE: codeCache, ...environment },
    detached: true,
    stdio: ['ignore', log ?? 'inherit', 'pipe', 'ipc'],
  })
  if (log !== undefined) closeSync(log)
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-longestComplaint)
    if (logFile !== undefined) appendFileSync(logFile, chunk)
  })
  const ready = await waitUntilReady(child, name, () => complaint)
  let stopping = false
  const gone = new Promise<void>((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done()
    else child.once('exit', () => done())
  })
  return {
    ready,
    ended: gone.then(() =>
      stopping ? undefined : `${name} ended unexpectedly (${child.signalCode ?? child.exitCode})${describe(complaint)}`,
    ),
    async stop() {
      stopping = true
      child.kill('SIGTERM')
      const force = setTimeout(() => child.kill('SIGKILL'), stopTimeout)
      await gone
      clearTimeout(force)
    },
  }
}

function waitUntilReady(child: ChildProcess, name: string, complaint: () => string): Promise<Ready> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (isReady(message)) resolve(message)
    })
    child.once('error', (error) => reject(new LaunchError([`${name} cannot be started: ${error.message}`])))
    // 'close' comes after standard error has been read to its end.
    child.once('close', (code, signal) => {
      const lines = complaint().trim().split('\n').filter(Boolean)
      reject(new LaunchError(lines.length > 0 ? lines : [`${name} ended before it served (${signal ?? code})`]))
    })
  })
}

function isReady(message: unknown): message is Ready {
  return typeof message === 'object' && message !== null && 'ready' in message
}

/** The error that ended a program of Node's, which is not the last that it says. */
function describe(complaint: string): string {
  const lines = complaint.trim().split('\n')
  const line = lines.findLast((text) => /^\S*(?:Error|Exception)\b.*:/.test(text)) ?? lines.at(-1)
  return line ? `: ${line}` : ''
}

/** Appends; a log that has grown large is put aside once. */
function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true })
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > maxLogBytes) renameSync(path, `${path}.1`)
  return openSync(path, 'a', 0o600)
}
