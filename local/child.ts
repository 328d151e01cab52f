import { type ChildProcess, fork } from 'node:child_process'
import { appendFileSync, closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { findProgram } from './built.mjs'
import { LaunchError } from './launch-error.ts'

const projectRoot = resolve(import.meta.dirname, '..')
const maxLogBytes = 10 * 1_048_576
const stopTimeoutMs = 15_000
const maxErrorCharacters = 8_000

export interface ChildOptions {
  name: string
  /** Relative to the project's root. */
  script: string
  args?: string[]
  environment: NodeJS.ProcessEnv
  /** Settings that are known later. The program loads its modules meanwhile; it is ended if this is rejected. */
  laterSettings?: Promise<NodeJS.ProcessEnv> | undefined
  /** Undefined writes the log to the standard output of this process. */
  logFile: string | undefined
}

/** The message of a program once it accepts requests. */
export interface Ready {
  ready: true
  port: number
  tokenFile?: string
  baseUrl?: string
  /** Signs in the owner of local mode, once. */
  signInLink?: string
}

export interface Child {
  ready: Ready
  /** Resolves when the process ends, with a message for the user; undefined after `stop`. */
  ended: Promise<string | undefined>
  stop(): Promise<void>
}

/**
 * Starts a program and waits until it accepts requests. The program has its own session, so that Ctrl-C reaches only the
 * launcher, and stops by itself when the launcher ends.
 *
 * @throws LaunchError with the standard error of a program that ends before that
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { name, script, args = [], environment, laterSettings, logFile } = options
  const log = logFile === undefined ? undefined : openLog(logFile)
  const { file, codeCache } = findProgram(resolve(projectRoot, script))
  const child = fork(file, args, {
    cwd: projectRoot,
    // Without this cache, compiling takes half of every start.
    env: { NODE_COMPILE_CACHE: codeCache, ...environment, ...(laterSettings && { SETTINGS_FOLLOW: 'on' }) },
    detached: true,
    stdio: ['ignore', log ?? 'inherit', 'pipe', 'ipc'],
  })
  if (log !== undefined) closeSync(log)
  let errorOutput = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-maxErrorCharacters)
    if (logFile !== undefined) appendFileSync(logFile, chunk)
  })
  laterSettings?.then(
    (settings) => child.connected && child.send({ settings }),
    () => child.kill('SIGKILL'),
  )
  const ready = await waitUntilReady(child, name, () => errorOutput)
  let stopping = false
  const gone = new Promise<void>((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done()
    else child.once('exit', () => done())
  })
  return {
    ready,
    ended: gone.then(() =>
      stopping
        ? undefined
        : `${name} ended unexpectedly (${child.signalCode ?? child.exitCode})${describe(errorOutput)}`,
    ),
    async stop() {
      stopping = true
      child.kill('SIGTERM')
      const force = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
      await gone
      clearTimeout(force)
    },
  }
}

function waitUntilReady(child: ChildProcess, name: string, errorOutput: () => string): Promise<Ready> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (isReady(message)) resolve(message)
    })
    child.once('error', (error) => reject(new LaunchError([`${name} cannot be started: ${error.message}`])))
    // 'close' follows the end of standard error.
    child.once('close', (code, signal) => {
      const lines = errorOutput().trim().split('\n').filter(Boolean)
      reject(new LaunchError(lines.length > 0 ? lines : [`${name} ended before it was ready (${signal ?? code})`]))
    })
  })
}

function isReady(message: unknown): message is Ready {
  return typeof message === 'object' && message !== null && 'ready' in message
}

/** Finds the error that ended a Node program, which is not its last line. */
function describe(errorOutput: string): string {
  const lines = errorOutput.trim().split('\n')
  const line = lines.findLast((text) => /^\S*(?:Error|Exception)\b.*:/.test(text)) ?? lines.at(-1)
  return line ? `: ${line}` : ''
}

/** Opens the log for appending, and renames a large one first. */
function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true })
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > maxLogBytes) renameSync(path, `${path}.1`)
  return openSync(path, 'a', 0o600)
}
