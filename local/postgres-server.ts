import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresFiles } from './postgres-files.ts'

const startTimeout = 30_000
const stopTimeout = 15_000

/** Why the embedded database does not start. The message is for the user. */
export class PostgresError extends Error {
  override name = 'PostgresError'
  /** Another start uses the data folder, so its files must not be changed. */
  isTaken = false
}

export interface LaunchOptions {
  logFile: string
  /** False trades crash safety for speed, for temporary clusters. */
  durable?: boolean
}

/** A running Postgres; `child` is set if this process started it. */
export interface Server {
  pid: number
  port: number
  child?: ChildProcess
}

/** Finds a server that already runs on this folder and answers. */
export async function findServer(directory: string, url: (port: number) => string): Promise<Server | undefined> {
  const found = readLock(directory)
  if (!found) return undefined
  if (!isPostgres(found.pid)) {
    // Another program has this process id now, and Postgres would mistake it for its own server.
    rmSync(join(directory, 'postmaster.pid'), { force: true })
    return undefined
  }
  const deadline = performance.now() + startTimeout
  while (performance.now() < deadline && isPostgres(found.pid)) {
    if (await answers(url(found.port))) return found
    await sleep(100)
  }
  return undefined
}

function readLock(directory: string): Server | undefined {
  try {
    const [pid, , , port] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')
    return Number(pid) > 0 && Number(port) > 0 ? { pid: Number(pid), port: Number(port) } : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function isPostgres(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres')
  } catch {
    return false // The process has ended, or belongs to another user.
  }
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {}) // The calls below throw the error too.
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

export async function launchServer(
  files: PostgresFiles,
  options: LaunchOptions,
  url: (port: number) => string,
): Promise<Server> {
  const deadline = performance.now() + startTimeout
  mkdirSync(dirname(options.logFile), { recursive: true })
  for (;;) {
    const port = await freePort()
    const log = openSync(options.logFile, 'a', 0o600)
    const [command, ...args] = stoppedWithParent([
      files.postgres,
      '-D',
      files.directory,
      '-p',
      String(port),
      ...setting('listen_addresses', '127.0.0.1'),
      ...setting('unix_socket_directories', ''),
      ...setting('max_connections', '200'),
      ...setting('dynamic_shared_memory_type', 'mmap'),
      ...(options.durable === false
        ? [...setting('fsync', 'off'), ...setting('synchronous_commit', 'off'), ...setting('full_page_writes', 'off')]
        : []),
    ])
    // In its own session, so that Ctrl-C reaches only the launcher, which stops all parts in order.
    const child = spawn(command, args, {
      ...files.asUser,
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    child.unref()
    while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
      if (child.pid !== undefined && (await answers(url(port)))) return { pid: child.pid, port, child }
      await sleep(40)
    }
    // A parallel start may have started a server on the folder.
    const other = await findServer(files.directory, url)
    if (other) return other
    const reason = lastLine(readFileSync(options.logFile, 'utf8').slice(-4_000))
    // The workers of a killed server may still run, or another program has taken the port. Both are temporary.
    const isTemporary = /shared memory block|Address already in use|in use/.test(reason)
    if (!isTemporary || performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new PostgresError(`Postgres did not start: ${reason} (see ${options.logFile})`)
    }
    await sleep(250)
  }
}

const setting = (name: string, value: string) => ['-c', `${name}=${value}`]

const setpriv = '/usr/bin/setpriv'

/** On systems with setpriv, the kernel stops the server when this process ends, also when it is killed. */
function stoppedWithParent(command: [string, ...string[]]): [string, ...string[]] {
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', 'INT', '--', ...command] : command
}

export function hasEnded({ pid, child }: Server): boolean {
  return child ? child.exitCode !== null || child.signalCode !== null : !isPostgres(pid)
}

/** Requests a fast shutdown, which ends all sessions and writes everything to disk. */
export async function stopServer(directory: string, server: Server): Promise<void> {
  if (hasEnded(server)) return
  const { pid } = server
  process.kill(pid, 'SIGINT')
  const deadline = performance.now() + stopTimeout
  while (!hasEnded(server)) {
    if (performance.now() > deadline) {
      process.kill(pid, 'SIGQUIT')
      throw new PostgresError(`Postgres on ${directory} did not stop and was aborted. It recovers at the next start.`)
    }
    await sleep(20)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port is free')
  return address.port
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? 'unknown reason'
}
