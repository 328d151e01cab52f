import { readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isErrno, uniqueName } from '../files.ts'
import { lockDirectory } from '../lock.ts'

/** Makes this process look dead in all files of the lock that name it as the owner. */
export function seemDead(directory: string): void {
  for (const name of readdirSync(directory).filter((name) => name.startsWith('lock'))) {
    try {
      if (!readFileSync(join(directory, name), 'utf8').startsWith(`${process.pid} `)) continue
      const dead = join(directory, uniqueName())
      writeFileSync(dead, `999999999 1 ${uniqueName()}`)
      renameSync(dead, join(directory, name))
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error
    }
  }
}

/** Takes the lock again and again, and dies with it every other time. Throws if another one holds it meanwhile. */
export async function useLock(directory: string, turns: number): Promise<void> {
  const inside = `${directory}.inside`
  for (let turn = 0; turn < turns; turn++) {
    const lock = await lockDirectory(directory, AbortSignal.timeout(60_000))
    await mkdir(inside)
    await delay(Math.random() * 2)
    rmdirSync(inside)
    if (turn % 2 === 0) seemDead(directory)
    else await lock[Symbol.asyncDispose]()
  }
}
