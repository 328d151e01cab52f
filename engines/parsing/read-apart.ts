import { fork } from 'node:child_process'
import { flushCompileCache } from 'node:module'
import { isolatedEnvironment, lowerPriority } from './child-processes.ts'

/** One source file for a process of its own to read. */
export interface Reading {
  path: string
  source: string
}

const maxSourceBytes = 1_024 * 1_024
/** A source within the size limit takes a second or two. Only hostile input takes longer. */
const timeoutMs = 10_000

/**
 * Reads a source in a child process, which can neither crash nor block this one.
 *
 * @param program - the file of the child process; it calls `answerReading`
 * @returns undefined for sources that are too large, take too long or crash the process
 */
export async function readApart<Result>(program: string, reading: Reading): Promise<Result | undefined> {
  if (Buffer.byteLength(reading.source) > maxSourceBytes) return undefined
  const child = fork(program, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: isolatedEnvironment(),
    execArgv: ['--max-old-space-size=1024'],
  })
  lowerPriority(child)
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  try {
    return await new Promise((resolve, reject) => {
      let result: Result | undefined
      child.on('message', (message: Result) => {
        result = message
      })
      child.on('error', (error) => {
        // Also raised when a dying process cannot receive a message; that process still emits `exit`.
        if (child.pid === undefined) reject(error)
      })
      child.once('exit', () => {
        if (child.connected) child.once('disconnect', () => resolve(result))
        else resolve(result)
      })
      child.send(reading, () => undefined)
    })
  } finally {
    clearTimeout(timer)
  }
}

/** The child's side of `readApart`: answers one reading, then ends. */
export function answerReading<Given extends Reading>(read: (reading: Given) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit())
  process.on('message', (reading: Given) => {
    void read(reading).then((result) =>
      process.send?.(result, undefined, undefined, () => {
        flushCompileCache()
        process.disconnect()
      }),
    )
  })
}
