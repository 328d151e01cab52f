import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { extname, join, resolve } from 'node:path'
import type { AnalysisProgress } from '../core/analysis/schema.ts'
import type { AnalysisResult } from '../engines/analysis/schema.ts'
import { cleanLine, shorten } from './sanitize.ts'
import { UserError } from './user-error.ts'
import type { FromWorkingTree, WorkingTreeJob, WorkingTreeOutcome } from './working-tree-process.ts'

// This file and that program are JavaScript in the published package.
const program = resolve(import.meta.dirname, `working-tree-process${extname(import.meta.filename)}`)
/** Time for the child to end its own children and to remove temporary files. */
const graceMs = 2_000

export interface WorkingTreeOptions {
  /** Keeps facts between analyses. */
  cacheDirectory: string
  signal: AbortSignal
  onProgress: (progress: AnalysisProgress) => void
}

/**
 * Analyzes a working tree in a child process, so that a large one does not block this process or use up its memory, and
 * so that the process that reads the files has no token.
 */
export async function analyzeWorkingTree(root: string, options: WorkingTreeOptions): Promise<AnalysisResult> {
  const { signal, onProgress, cacheDirectory } = options
  signal.throwIfAborted()
  const { isolatedEnvironment, lowerPriority } = await import('../engines/parsing/child-processes.ts')
  const child = fork(program, {
    serialization: 'advanced',
    // Stdout of this process may carry the MCP protocol.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: isolatedEnvironment('PATH', 'HOME', 'TMPDIR'),
    execArgv: [],
  })
  lowerPriority(child)
  let killTimer: NodeJS.Timeout | undefined
  const stop = () => {
    if (child.connected) child.disconnect()
    killTimer ??= setTimeout(() => child.kill('SIGKILL'), graceMs)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const { promise, resolve: settle, reject } = Promise.withResolvers<WorkingTreeOutcome | undefined>()
    child.on('message', (message: FromWorkingTree) => {
      if ('progress' in message) onProgress(message.progress)
      else settle(message)
    })
    child.once('error', reject)
    child.once('exit', () => {
      // The last message may still arrive.
      if (child.connected) child.once('disconnect', () => settle(undefined))
      else settle(undefined)
    })
    const factsFile = join(cacheDirectory, createHash('sha256').update(root).digest('hex').slice(0, 32))
    child.send({ root, factsFile } satisfies WorkingTreeJob)
    const outcome = await promise
    signal.throwIfAborted()
    if (!outcome) throw new Error('the process that analyses the working tree ended without an answer')
    if ('finished' in outcome) return outcome.finished
    const { code, message } = outcome.failed
    if (code === undefined) throw new Error(message)
    throw new UserError(`The analysis failed: ${cleanLine(code)}: ${shorten(cleanLine(message), 500)}`)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
    child.once('exit', () => clearTimeout(killTimer))
  }
}
