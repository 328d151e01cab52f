import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { OutputSink } from './executor.ts'

/** Pipes that pass the output of a command to the sink up to a limit. */
export interface Output {
  stdout: number
  stderr: number
  /** The end of stderr, for problems of the sandbox itself. */
  stderrTail(): string
  /** Closes this process's copies of the pipes, once the command has them. */
  closeOwnEnds(): void
  /** Resolves when all output has reached the sink, or when the sink is closed. */
  drained(): Promise<void>
}

const tailLength = 2000
const maxWaitMs = 5000

/**
 * Named pipes, since Node's own are sockets and a script that writes to /dev/stderr cannot open one. `onLimit` is
 * called once, when more comes than the limit allows; the sink then has got exactly that much.
 */
export async function openOutput(
  folder: string,
  sink: OutputSink,
  limit: number,
  onLimit: () => void,
): Promise<Output> {
  const names = [join(folder, 'stdout'), join(folder, 'stderr')] as const
  // The sandbox's user may open them by their descriptors. Other users cannot enter the folder.
  await promisify(execFile)('mkfifo', ['-m', '622', ...names])
  const ends = names.map(openPipe)
  await Promise.all(names.map((name) => rm(name)))
  const [stdout, stderr] = ends
  if (!stdout || !stderr) throw new Error('The pipes for the output could not be opened.')

  let left = limit
  const take = (chunk: Buffer): Buffer => {
    const taken = chunk.subarray(0, Math.max(left, 0))
    const over = left >= 0 && chunk.length > left
    left -= chunk.length
    if (over) onLimit()
    return taken
  }
  let tail = ''
  stderr.reader.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('utf8')).slice(-tailLength)
  })
  const done = Promise.all([lead(stdout.reader, sink.stdout, take), lead(stderr.reader, sink.stderr, take)])
  return {
    stdout: stdout.writer,
    stderr: stderr.writer,
    stderrTail: () => tail.trim(),
    closeOwnEnds: () => {
      closeSync(stdout.writer)
      closeSync(stderr.writer)
    },
    drained: async () => {
      await Promise.race([done, sleep(maxWaitMs, undefined, { ref: false })])
      stdout.reader.destroy()
      stderr.reader.destroy()
    },
  }
}

function openPipe(name: string): { reader: Socket; writer: number } {
  // Opens the reading end first and without blocking, so that opening the other end does not block either.
  const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(name, constants.O_WRONLY)
  return { reader: new Socket({ fd, readable: true, writable: false }), writer }
}

/** Like `pipe`, but leaves the sink open for other commands of the same run. */
function lead(source: Socket, target: Writable, take: (chunk: Buffer) => Buffer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const resume = () => source.resume()
  source.on('data', (chunk: Buffer) => {
    const taken = take(chunk)
    if (taken.length === 0 || target.destroyed) return
    if (!target.write(taken)) source.pause()
  })
  target.on('drain', resume)
  target.once('close', resume)
  source.once('error', () => source.destroy())
  source.once('close', () => {
    target.off('drain', resume)
    target.off('close', resume)
    resolve()
  })
  return promise
}
