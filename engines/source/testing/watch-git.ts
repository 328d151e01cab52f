import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { bytesBelow } from '../files.ts'

export interface Watched {
  /** The most memory that one git had. */
  memoryBytes: number
  /** The most bytes that the folder had. */
  folderBytes: number
  /** The limits of the gits that have one on memory, in bytes and seconds, each once. */
  limits: { memoryBytes: number; fileBytes: number; cpuSeconds: number }[]
}

/** Watches the gits that this process starts, and a folder, until the work has ended. Works on Linux. */
export async function watchGit(folder: string, work: Promise<unknown>): Promise<Watched> {
  const watched: Watched = { memoryBytes: 0, folderBytes: 0, limits: [] }
  const limits = new Map<string, Watched['limits'][number]>()
  const ended = work.then(
    () => true,
    () => true,
  )
  do {
    watched.folderBytes = Math.max(watched.folderBytes, await bytesBelow(folder))
    for (const pid of await childrenOf(process.pid)) {
      const [status, given] = await Promise.all(
        ['status', 'limits'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
      )
      if (status === undefined || given === undefined || !/^Name:\tgit$/m.test(status)) continue
      watched.memoryBytes = Math.max(watched.memoryBytes, numberAfter(status, 'VmHWM:') * 1_024)
      const own = {
        memoryBytes: numberAfter(given, 'Max address space'),
        fileBytes: numberAfter(given, 'Max file size'),
        cpuSeconds: numberAfter(given, 'Max cpu time'),
      }
      if (own.memoryBytes > 0) limits.set(JSON.stringify(own), own)
    }
  } while (!(await Promise.race([sleep(10, false), ended])))
  return { ...watched, limits: [...limits.values()] }
}

async function childrenOf(pid: number): Promise<string[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return listed.split(' ').filter((child) => child !== '')
}

/** Returns 0 for `unlimited`. */
function numberAfter(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(name)) ?? ''
  return Number(/^\s*(\d+)/.exec(line.slice(name.length))?.[1] ?? 0)
}
