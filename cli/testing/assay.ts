import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { invoke } from '../invoke.ts'

const main = resolve(import.meta.dirname, '../main.ts')

export interface Typed {
  cwd?: string
  env?: Record<string, string>
  /** What is piped into stdin; empty by default. */
  input?: string
}

export interface Ended {
  exitCode: number | null
  stdout: string
  stderr: string
}

/** Returns the address of the page that a command names. */
export function pageIn(printed: string): string {
  const [, address, ...others] = printed.split(/^Page: (\S+)$/m)
  if (address === undefined || others.length > 1) throw new Error(`not one page in ${printed}`)
  return address
}

/** A command that runs in this process, and what it has printed so far. */
export interface RunningCommand {
  readonly stdout: string
  readonly stderr: string
  interrupt: () => void
  /** Waits until the predicate accepts the output. Fails if the command ends before. */
  until: (accepts: (printed: Pick<Ended, 'stdout' | 'stderr'>) => boolean) => Promise<void>
  ended: Promise<Ended>
}

/** Hides the login and the local token of the developer who runs the tests. */
const isolated = { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: '/nonexistent', DATA_DIR: '/nonexistent' }

/** Runs `assay` with these words in this process, which takes a tenth of the time of a process of its own. */
export function startAssay(words: readonly string[], { cwd, env = {}, input = '' }: Typed = {}): RunningCommand {
  const printed = { stdout: '', stderr: '' }
  const written = new EventEmitter()
  const stream = (name: keyof typeof printed) =>
    new Writable({
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => {
        printed[name] += chunk
        written.emit('written')
        done()
      },
    })
  const signals = new EventEmitter()
  const ended = invoke({
    args: words,
    env: { ...isolated, ...env },
    cwd: cwd ?? process.cwd(),
    stdin: Readable.from([Buffer.from(input)], { objectMode: false }),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    signals,
    fallBackTo: () => {},
  })
  return {
    get stdout() {
      return printed.stdout
    },
    get stderr() {
      return printed.stderr
    },
    until: (accepts) => untilPrinted(() => accepts(printed), written, ended),
    interrupt: () => void signals.emit('SIGINT'),
    ended: ended.then((exitCode) => ({ exitCode, ...printed })),
  }
}

/** Waits for an event, because fixed delays fail on a busy machine. */
async function untilPrinted(isPrinted: () => boolean, written: EventEmitter, ended: Promise<unknown>): Promise<void> {
  const hasEnded = ended.then(() => true)
  while (!isPrinted()) {
    const isOver = await Promise.race([once(written, 'written').then(() => false), hasEnded])
    if (isOver && !isPrinted()) throw new Error('the command ended before it printed that')
  }
}

/** Runs a command to its end. */
export const assay = (words: readonly string[], typed: Typed = {}): Promise<Ended> => startAssay(words, typed).ended

/** Starts a separate process, to test streams, signals and the exit code. */
export function spawnAssay(words: readonly string[], { cwd, env = {}, input }: Typed = {}): ChildProcess {
  const cache = { NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../node_modules/.cache/assay/code') }
  const child = spawn(process.execPath, [main, ...words], { cwd, env: { ...cache, ...isolated, ...env } })
  if (input !== undefined) child.stdin.end(input)
  return child
}

/** Whether this machine has the program that opens terminals for `spawnAtTerminal`. */
export const hasTerminals = spawnSync('script', ['--version']).status === 0

/** Starts a separate process at a terminal that does not know its width. Its stdout has everything that it prints there. */
export function spawnAtTerminal(words: readonly string[], { cwd, env = {} }: Typed = {}): ChildProcess {
  const command = [process.execPath, main, ...words].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
  return spawn('script', ['--quiet', '--return', '--command', command.join(' '), '/dev/null'], {
    cwd,
    env: { ...isolated, TERM: 'xterm', SHELL: '/bin/sh', ...env },
  })
}

export async function ended(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('the child has no pipes')
  const [out, err] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
  return { exitCode: child.exitCode, stdout: out, stderr: err }
}
