import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { findPostgresFiles, type PostgresFiles } from './postgres-files.ts'
import { ownCluster } from './postgres-owner.ts'
import {
  findServer,
  hasEnded,
  lastLine,
  type LaunchOptions,
  launchServer,
  PostgresError,
  stopServer,
} from './postgres-server.ts'

const user = 'assay'
const database = 'assay'

export interface PostgresOptions extends LaunchOptions {
  /** The data folder, created at the first start. */
  directory: string
}

export interface Postgres extends AsyncDisposable {
  /** Connects as the owner of the database `assay`. */
  url: string
  /** Where the data is. Root keeps it outside of the requested folder. */
  directory: string
  /** True if the server was still running from a start that was killed. */
  adopted: boolean
  /** Resolves with the reason when the server ends before `stop` was called. */
  ended: Promise<string>
  stop(): Promise<void>
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

  const running = await findServer(directory, (port) => url(port, 'postgres'))
  const server = running ?? (await launchServer(files, options, (port) => url(port, 'postgres')))

  const owner = await ownCluster({
    url: url(server.port, 'postgres'),
    hasEnded: () => hasEnded(server),
    wait: running !== undefined,
  })
  if (!owner) {
    const taken = new PostgresError(
      `Assay is already running on ${dirname(options.directory)}. Stop it first, or set DATA_DIR to another folder.`,
    )
    taken.isTaken = true
    throw taken
  }
  const { rowCount } = await owner.client().query('SELECT FROM pg_database WHERE datname = $1', [database])
  if (rowCount === 0) await owner.client().query(`CREATE DATABASE ${database}`)

  let stopped: Promise<void> | undefined
  const stop = async () => {
    await owner.close()
    await stopServer(directory, server)
  }
  const reasons = {
    ended: `Postgres ended unexpectedly; see ${options.logFile}`,
    taken: `Another start of Assay took over the database of ${directory}.`,
  }
  return {
    url: url(server.port, database),
    directory,
    adopted: server.child === undefined,
    ended: owner.lost.then((how) => reasons[how]),
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  }
}

/** Returns the URL of the server that runs on this folder, for a further client. */
export async function findRunningPostgres(wantedDirectory: string): Promise<string | undefined> {
  const { directory } = await findPostgresFiles(wantedDirectory)
  if (!existsSync(passwordFile(directory))) return undefined
  const url = urlOf(directory)
  const running = await findServer(directory, (port) => url(port, database))
  return running && url(running.port, database)
}

function urlOf(directory: string) {
  const password = readFileSync(passwordFile(directory), 'utf8').trim()
  return (port: number, name: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${name}`
}

function foreignContent(directory: string, cause?: unknown): PostgresError {
  const text = `${directory} contains files that are not a database of Assay. Move them, or set DATA_DIR to another folder.`
  return new PostgresError(text, { cause })
}

/** Creates the cluster in a temporary folder and renames it, so that a killed first start leaves no incomplete cluster. */
async function initialize(files: PostgresFiles, durable: boolean): Promise<void> {
  const { directory, asUser } = files
  if (existsSync(directory) && readdirSync(directory).length > 0) throw foreignContent(directory)
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
    throw foreignContent(directory, error)
  }
}

const passwordFile = (directory: string) => join(directory, 'owner-password')
