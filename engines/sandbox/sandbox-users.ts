import { readdir, readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'

/** User ids that belong to nobody else on this machine. The first owns files, each other one is for one sandbox. */
export interface UidRange {
  first: number
  last: number
}

/** In the part that systemd leaves unused, far from accounts, containers and subordinate ids. */
export const defaultUidRange: UidRange = { first: 1_900_000_000, last: 1_900_004_095 }

/** The user, and the group with the same number, that one sandbox runs as. No other sandbox has it at the same time. */
export interface SandboxUser extends Disposable {
  uid: number
  /** The owner on disk of what sandboxes write. No process runs as it. */
  storage: number
}

/** Only root can run sandboxes as other users. */
export function hasOwnUsers(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0
}

const free: number[] = []
/** Abstract sockets, which the kernel closes however this process ends, so that a lock never stays. */
const locks = new Map<number, Server>()

/** @throws if every user of the range is in use */
export async function takeSandboxUser({ first, last }: UidRange): Promise<SandboxUser> {
  const reused = free.findIndex((uid) => uid > first && uid <= last)
  const [uid = await lockUser(first + 1, last)] = reused === -1 ? [] : free.splice(reused, 1)
  return { uid, storage: first, [Symbol.dispose]: () => void free.push(uid) }
}

async function lockUser(first: number, last: number): Promise<number> {
  for (let uid = first; uid <= last; uid++) {
    if (locks.has(uid) || !(await lock(uid))) continue
    // Its last holder may have been killed, and its sandbox still be ending.
    if (!(await usersOfProcesses()).has(uid)) return uid
    locks.get(uid)?.close()
    locks.delete(uid)
  }
  throw new Error(`every user id from ${first} to ${last} is in use (SANDBOX_UID_RANGE)`)
}

function lock(uid: number): Promise<boolean> {
  const server = createServer((socket) => socket.destroy()).unref()
  locks.set(uid, server)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  server.once('error', () => {
    locks.delete(uid)
    resolve(false)
  })
  server.listen(`\0assay-sandbox-user-${uid}`, () => resolve(true))
  return promise
}

async function usersOfProcesses(): Promise<Set<number>> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const statuses = await Promise.all(names.map((name) => readFile(`/proc/${name}/status`, 'utf8').catch(() => '')))
  return new Set(statuses.flatMap((status) => /^Uid:\s+(.*)$/m.exec(status)?.[1]?.split(/\s+/).map(Number) ?? []))
}

/** Returns what is wrong with a range, such as that the container does not have these ids. */
export async function problemOfRange({ first, last }: UidRange): Promise<string | null> {
  const maps = await Promise.all(['uid_map', 'gid_map'].map((name) => readFile(`/proc/self/${name}`, 'utf8')))
  const isMapped = maps.every((map) =>
    map.split('\n').some((line) => {
      const [inside = NaN, , length = NaN] = line.trim().split(/\s+/).map(Number)
      return inside <= first && last < inside + length
    }),
  )
  if (isMapped) return null
  return `This container does not have the user and group ids ${first} to ${last}. Set SANDBOX_UID_RANGE to ids that it has and that belong to no account.`
}
