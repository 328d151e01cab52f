import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  closeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findPostgresFiles, type PostgresFiles } from './postgres-files.ts'

const user = 'assay'
const database = 'assay'
/** The advisory lock of the start that runs this cluster: "assy" in ASCII. */
const ownerLock = 0x61737379
const startTimeout = 30_000

export interface PostgresOptions {
  /** The data folder, created at the first start. */
  directory: string
  logFile: string
  /** False trades crash safety for speed, for temporary clusters. */
  durable?: boolean
}

export interface Postgres extends AsyncDisposable {
  /** Connects as the owner of the database `assay`. */
  url: string
  /** True if the server was still running from a start that was killed. */
  adopted: boolean
  /** Resolves when the server ends, with a reason unless `stop` was called. */
  ended: Promise<string | undefined>
  stop(): Promise<void>
}

/** Why the embedded database does not start. The message is for the user. */
export class PostgresError extends Error {
  override name = 'PostgresError'
  /** Another start uses the data folder, so its files must not be changed. */
  isTaken = false
}

/**
 * Starts the Postgres of the npm package, or adopts the server of a start that was killed.
 *
 * An advisory lock inside the cluster decides which start owns it. Unlike a lock file, it is released however its owner
 * ends.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const files = await findPostgresFiles(options.directory)
  const { directory } = files
  if (!existsSync(join(directory, 'PG_VERSION'))) await initialize(files, options.durable !== false)
  const url = urlOf(directory)

  const running = await findRunning(directory, (port) => url(port, 'postgres'))
  const server = running ?? (await launch(files, options, (port) => url(port, 'postgres')))

  const owner = new pg.Client({ connectionString: url(server.port, 'postgres') })
  let stopped: Promise<void> | undefined
  const ended = new Promise<string | undefined>((resolve) => {
    owner.once('end', () => resolve(stopped ? undefined : `Postgres ended unexpectedly; see ${options.logFile}`))
  })
  owner.on('error', () => {}) // 'end' follows.
  await owner.connect()
  if (running) await waitForStarter(owner)
  const { rows } = await owner.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [ownerLock])
  if (!rows[0]?.locked) {
    await owner.end()
    const taken = new PostgresError(
      `Assay is already running on ${directory}. Stop it first, or set DATA_DIR to another folder.`,
    )
    taken.isTaken = true
    throw taken
  }
  const { rowCount } = await owner.query('SELECT FROM pg_database WHERE datname = $1', [database])
  if (rowCount === 0) await owner.query(`CREATE DATABASE ${database}`)

  const stop = async () => {
    await owner.end()
    await stopServer(directory, server)
  }
  return {
    url: url(server.port, database),
    adopted: server.child === undefined,
    ended,
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  }
}

/** Returns the URL of the server that runs on this folder, for a further client. */
export async function findRunningPostgres(wantedDirectory: string): Promise<string | undefined> {
  const { directory } = await findPostgresFiles(wantedDirectory)
  if (!existsSync(passwordFile(directory))) return undefined
  const url = urlOf(directory)
  const running = await findRunning(directory, (port) => url(port, database))
  return running && url(running.port, database)
}

function urlOf(directory: string) {
  const password = readFileSync(passwordFile(directory), 'utf8').trim()
  return (port: number, name: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${name}`
}

/**
 * If two starts run in parallel, the one that started the server must get the lock, because the server ends with it.
 * Waits for that lock, but not for long, because the start may have been killed.
 */
async function waitForStarter(client: pg.Client): Promise<void> {
  const deadline = performance.now() + 2_000
  while (performance.now() < deadline) {
    const { rowCount } = await client.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1", [
      ownerLock,
    ])
    if (rowCount !== 0) return
    await sleep(50)
  }
}

interface Server {
  pid: number
  port: number
  child?: ChildProcess
}

/** Creates the cluster in a temporary folder and renames it, so that a killed first start leaves no incomplete cluster. */
async function initialize(files: PostgresFiles, durable: boolean): Promise<void> {
  const { directory, asUser } = files
  const making = mkdtempSync(`${directory}.new-`)
  const password = randomBytes(24).toString('base64url')
  const pwfile = `${making}.password`
  writeFileSync(pwfile, `${password}\n`, { mode: 0o600 })
  if (asUser) for (const path of [making, pwfile]) chownSync(path, asUser.uid, asUser.gid)
  const child = spawn(
    files.initdb,
    [
      `--pgdata=${making}`,
      `--username=${user}`,
      `--pwfile=${pwfile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      // The same Unicode case rules on every machine.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...asUser, cwd: '/', env: {}, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, 'close')
  rmSync(pwfile, { force: true })
  if (code !== 0) {
    rmSync(making, { recursive: true, force: true })
    throw new PostgresError(`Postgres could not create its data folder ${directory}: ${lastLine(output)}`)
  }
  writeFileSync(passwordFile(making), `${password}\n`, { mode: 0o600 })
  try {
    renameSync(making, directory)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    // A parallel first start has created the cluster.
    if (existsSync(join(directory, 'PG_VERSION'))) return
    throw new PostgresError(
      `${directory} contains files that are not a database of Assay. Move them, or set DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

const passwordFile = (directory: string) => join(directory, 'owner-password')

/** Finds a server that already runs on this folder and answers. */
async function findRunning(directory: string, url: (port: number) => string): Promise<Server | undefined> {
  const found = readLock(directory)
  if (!found) return undefined
  if (!isPostgres(found.pid)) {
    // Another program has this process id now, and Postgres would mistake it for its own server.
    rmSync(join(directory, 'postmaster.pid'), { force: true })
    return undefined
  }
  const deadline = performance.now() + 5_000
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

async function launch(files: PostgresFiles, options: PostgresOptions, url: (port: number) => string): Promise<Server> {
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
    const other = await findRunning(files.directory, url)
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

/** Requests a fast shutdown, which ends all sessions and writes everything to disk. */
async function stopServer(directory: string, { pid, child }: Server): Promise<void> {
  const gone = () => (child ? child.exitCode !== null || child.signalCode !== null : !isPostgres(pid))
  if (gone()) return
  process.kill(pid, 'SIGINT')
  const deadline = performance.now() + 15_000
  while (!gone()) {
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

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? 'unknown reason'
}
