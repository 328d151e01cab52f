import { readFileSync, renameSync, rmSync } from 'node:fs'
import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isErrno, readIfThere, trashPrefix, uniqueName } from './files.ts'
import { startTime } from './process-name.ts'

const pollInterval = 50

/**
 * Waits until no other process and no other call works in the directory, which is made if need be. A lock whose owner
 * has died is taken over. All users of a directory must run on one machine, since process ids identify the owners.
 */
export async function lockDirectory(directory: string, signal: AbortSignal): Promise<AsyncDisposable> {
  const file = join(directory, 'lock')
  const owner = `${process.pid} ${await startTime(process.pid)} ${uniqueName()}`
  const own = join(directory, `${trashPrefix}lock-${uniqueName()}`)
  for (;;) {
    signal.throwIfAborted()
    const made = await make(directory)
    if (made && (await claim(file, own, owner))) break
    if (!made || !(await takeOver(file))) await delay(pollInterval, undefined, { signal })
  }
  return {
    async [Symbol.asyncDispose]() {
      // Another process may have removed the clone and made a new one under this name.
      if ((await readIfThere(file)) === owner) await rm(file, { force: true })
    },
  }
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

/** A link appears together with its content, while a created file can be read before it is written. */
async function claim(file: string, own: string, owner: string): Promise<boolean> {
  try {
    await writeFile(own, owner)
    await link(own, file)
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST', 'ENOENT')) return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

/** True when the lock is free to be claimed again. */
async function takeOver(file: string): Promise<boolean> {
  const owner = await readIfThere(file)
  if (owner === undefined) return true
  const [pid, started] = owner.split(' ')
  const alive = await startTime(Number(pid))
  if (alive !== undefined && alive === started) return false
  try {
    // Without a pause in between: another call of this process may be taking over the same lock.
    if (readFileSync(file, 'utf8') !== owner) return true
    const dead = join(dirname(file), `${trashPrefix}lock-${uniqueName()}`)
    renameSync(file, dead)
    rmSync(dead, { force: true })
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error
  }
  return true
}
