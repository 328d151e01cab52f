import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isErrno, listIfThere, readIfThere, trashPrefix, uniqueName } from './files.ts'
import { startTime } from './process-name.ts'

const pollInterval = 50

/** All files of a lock begin with it. */
const lockName = 'lock'

/**
 * Waits until no other process and no other call works in the directory, which is made if need be. A lock whose owner
 * has died is taken over. All users of a directory must run on one machine, since process ids identify the owners.
 *
 * The file of an owner who died stays: whoever makes the file of its successor, whose name only this owner leads to,
 * owns the lock. To remove the file instead would be a race, because it may be another owner's by then.
 */
export async function lockDirectory(directory: string, signal: AbortSignal): Promise<AsyncDisposable> {
  const owner = `${process.pid} ${await startTime(process.pid)} ${uniqueName()}`
  for (;;) {
    signal.throwIfAborted()
    const held = (await make(directory)) ? await claim(directory, owner, signal) : undefined
    if (held) return { [Symbol.asyncDispose]: () => release(directory, held) }
    await delay(pollInterval, undefined, { signal })
  }
}

interface Lock {
  /** What the file of the lock says; undefined if there is none. */
  first: string | undefined
  /** The files that follow it, where owners died. The last one is that of the living owner. */
  successors: string[]
}

/** False when another owner removed the directory while it was made: one who is done removes it where it is empty. */
async function make(directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { recursive: true })
    return true
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false
    throw error
  }
}

/** Returns undefined if another owner has the lock. */
async function claim(directory: string, owner: string, signal: AbortSignal): Promise<Lock | undefined> {
  const vacant = await findVacant(directory, signal)
  if (!vacant) return undefined
  const { first, successors } = vacant
  const own = join(directory, successors.at(-1) ?? lockName)
  if (!(await makeFile(own, directory, owner))) return undefined
  if (first === undefined) {
    await removeSuccessors(directory)
    return { first: owner, successors }
  }
  // The way to the file was read before. Another successor may have come and gone meanwhile, and then it leads nowhere.
  if ((await readLock(directory)) === first) return vacant
  await rm(own, { force: true })
  return undefined
}

/** Removes what an owner left that was killed while it released the lock. */
async function removeSuccessors(directory: string): Promise<void> {
  // What cannot be listed or removed is in nobody's way, and the lock is already held.
  const names = await listIfThere(directory).catch(() => [])
  const left = names.filter((name) => name.startsWith(`${lockName}-after-`))
  await Promise.allSettled(left.map((name) => rm(join(directory, name), { force: true })))
}

const readLock = (directory: string) => readIfThere(join(directory, lockName))

/** Follows the successors of owners who died to where the next one belongs. Returns undefined if the last one is alive. */
async function findVacant(directory: string, signal: AbortSignal): Promise<Lock | undefined> {
  const first = await readLock(directory)
  const successors: string[] = []
  for (let owner = first; owner !== undefined;) {
    signal.throwIfAborted()
    if (await isAlive(owner)) return undefined
    // With its number, because a file may say anything: two of the same content would lead to each other.
    const successor = `${lockName}-after-${successors.length + 1}-${owner.replaceAll(/[^\w-]/g, '_').slice(0, 150)}`
    successors.push(successor)
    owner = await readIfThere(join(directory, successor))
  }
  return { first, successors }
}

async function isAlive(owner: string): Promise<boolean> {
  const [pid, started] = owner.split(' ')
  const alive = await startTime(Number(pid))
  return alive !== undefined && alive === started
}

/** False if it is there. A link appears together with its content, while a created file can be read before it is written. */
async function makeFile(file: string, directory: string, content: string): Promise<boolean> {
  const own = join(directory, `${trashPrefix}lock-${uniqueName()}`)
  try {
    await writeFile(own, content)
    await link(own, file)
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST', 'ENOENT')) return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

async function release(directory: string, { first, successors }: Lock): Promise<void> {
  // Another process may have removed the directory and made a new one under this name.
  if ((await readLock(directory)) === first) await rm(join(directory, lockName), { force: true })
  // Only now, because they lead to the owner as long as the first file is there.
  for (const successor of successors) await rm(join(directory, successor), { force: true })
}
