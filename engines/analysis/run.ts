import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isolatedEnvironment, lowerPriority } from '../parsing/child-processes.ts'
import type { FromAnalysis, ToAnalysis } from './run-messages.ts'
import { isErrno } from '../source/files.ts'
import type { CommitRef } from '../source/reference.ts'
import type { RepositorySource } from '../source/remote.ts'
import { type AnalysisLimits, defaultLimits, type Progress } from './types.ts'
import { RepositoryError, type RepositoryErrorCode } from '../source/types.ts'

export interface AnalysisJob extends RepositorySource {
  ref: CommitRef
  /** Kept between the analyses of a project: its clone and its facts. */
  directory: string
  limits?: Partial<AnalysisLimits>
}

export interface Commit {
  commitSha: string
  branch: string | undefined
}

/** An AnalysisResult as text, with what is needed of it without reading the text. */
export interface FinishedAnalysis extends Commit {
  json: string
  filesAnalyzed: number
  testCandidates: number
  languages: Record<string, number>
  frameworks: string[]
  /** The language that most of the project's own code is written in. */
  primaryLanguage: string | undefined
}

export interface RunOptions {
  signal: AbortSignal
  onCommit?: (commit: Commit) => void
  onProgress?: (progress: Progress) => void
}

/** The process ended without an answer, killed by somebody or for want of memory. Trying again may help. */
export class AnalysisInterrupted extends Error {
  override name = 'AnalysisInterrupted'
  constructor(end: string) {
    super(`The process that analyses ended without an answer: ${end}`)
  }
}

const program = fileURLToPath(new URL('process.ts', import.meta.url))
/** Time to remove locks and end helpers after being told to stop. */
const farewellMs = 2_000
/** Beyond the deadlines that the process itself keeps. */
const graceMs = 10_000
const heapMegabytes = 4_096

/**
 * Gets a commit and analyses it in a process of its own, which can neither crash nor slow down this one. Rejects with
 * an RepositoryError where the repository's owner can do something about it.
 */
export async function analyzeInChildProcess(job: AnalysisJob, options: RunOptions): Promise<FinishedAnalysis> {
  if (options.signal.aborted) throw cancelled()
  const limits = { ...defaultLimits, ...job.limits }
  const child = fork(program, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A process group of its own, so that it can be killed with everything that it started.
    detached: true,
    env: isolatedEnvironment('PATH', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR'),
    // Most of what is allocated lives until the end: a larger nursery copies less of it.
    execArgv: [`--max-old-space-size=${heapMegabytes}`, '--min-semi-space-size=32', '--max-semi-space-size=64'],
  })
  lowerPriority(child)
  const outcome = listen(child, options)
  let timedOut = false
  let farewell: NodeJS.Timeout | undefined
  const stop = (): void => {
    tell(child, { abort: true })
    farewell ??= setTimeout(() => killGroup(child), farewellMs)
  }
  const deadline = setTimeout(
    () => {
      timedOut = true
      stop()
    },
    limits.fetchTimeoutMs + limits.analysisTimeoutMs + graceMs,
  )
  options.signal.addEventListener('abort', stop)
  try {
    tell(child, { job })
    const { message, end } = await outcome
    if (message && 'finished' in message) return message.finished
    if (options.signal.aborted) throw cancelled()
    if (timedOut) throw new RepositoryError('timeout', 'The analysis took too long and was stopped.')
    throw message ? failure(message.failed) : new AnalysisInterrupted(end)
  } finally {
    clearTimeout(deadline)
    clearTimeout(farewell)
    options.signal.removeEventListener('abort', stop)
    killGroup(child)
  }
}

type Outcome = Extract<FromAnalysis, { finished: unknown } | { failed: unknown }>

/** Resolves when the process has ended and everything that it sent has arrived. */
function listen(child: ChildProcess, { onCommit, onProgress }: RunOptions) {
  let message: Outcome | undefined
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000)
  })
  child.on('message', (received: FromAnalysis) => {
    if ('commit' in received) onCommit?.(received.commit)
    else if ('progress' in received) onProgress?.(received.progress)
    else message = received
  })
  return new Promise<{ message: Outcome | undefined; end: string }>((resolve, reject) => {
    child.on('error', (error) => {
      // Raised for messages that a dying process takes no more, too; that one has an exit to come.
      if (child.pid === undefined) reject(error)
    })
    child.once('exit', (code, signal) => {
      const end = `${describeEnd(code, signal)}${said === '' ? '' : ` It said: ${said.trim()}`}`
      if (child.connected) child.once('disconnect', () => resolve({ message, end }))
      else resolve({ message, end })
    })
  })
}

function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === 'SIGKILL') return 'signal SIGKILL. If nobody stopped it, the machine ran out of memory.'
  if (signal === 'SIGABRT' || code === 134) return `signal SIGABRT. It needed more than ${heapMegabytes} MB of memory.`
  return signal ? `signal ${signal}.` : `exit code ${code}.`
}

function failure({ code, message, stack }: Extract<FromAnalysis, { failed: unknown }>['failed']): Error {
  // The code was an RepositoryError's on the other side.
  if (code !== undefined) return new RepositoryError(code as RepositoryErrorCode, message)
  const error = new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}

function cancelled(): RepositoryError {
  return new RepositoryError('cancelled', 'The analysis was cancelled.')
}

function tell(child: ChildProcess, message: ToAnalysis): void {
  if (child.connected) child.send(message, () => undefined)
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // All of them have ended.
    if (!isErrno(error, 'ESRCH')) throw error
  }
}
