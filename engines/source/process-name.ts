import { createHash } from 'node:crypto'
import { readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { isErrno, readIfThere } from './files.ts'

/**
 * Names this process, so that other processes can find out whether it has ended. The name consists of letters, digits
 * and dashes.
 */
export async function ownName(): Promise<string> {
  return `${await ownPlace()}-${process.pid}-${await startTime(process.pid)}`
}

/** Whether the named process has ended. False for a process of another container or machine, which cannot be seen. */
export async function hasEnded(name: string): Promise<boolean> {
  const [place, pid, started] = name.split('-')
  if (place !== (await ownPlace()) || started === undefined) return false
  return (await startTime(Number(pid))) !== started
}

let place: Promise<string> | undefined

/** The machine since its start, and the container: process ids are unique only there. */
const ownPlace = () => (place ??= readPlace())

async function readPlace(): Promise<string> {
  const boot = await readIfThere('/proc/sys/kernel/random/boot_id')
  const container = await readlink('/proc/self/ns/pid').catch(() => '')
  return createHash('sha256').update(`${hostname()}\n${boot}\n${container}`).digest('hex').slice(0, 16)
}

/** Distinguishes a process from a later one with the same id. Returns undefined if there is none. */
export async function startTime(pid: number): Promise<string | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return undefined
    if (!isErrno(error, 'EPERM')) throw error
  }
  const stat = await readIfThere(`/proc/${pid}/stat`)
  // The program's name, in parentheses, may itself hold blanks and parentheses. Zombies no longer own anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields?.[0] === 'Z') return undefined
  return fields?.[19] ?? 'unknown'
}
