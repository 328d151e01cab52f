import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { readdir, statfs } from 'node:fs/promises'

/** Measures whether folders have grown by more than a limit. */
export interface DiskMeter {
  /** Measures at intervals, and immediately if the file system has lost more space than the limit leaves. */
  isExceeded(pids: () => Promise<number[]>): Promise<boolean>
  /** Measures only if the file system has filled that much: for the end of a command. */
  isExceededAtEnd(): Promise<boolean>
}

/** Measuring large folders is slow: the next measurement waits this many times as long as the last took. */
const restFactor = 10
const restMs = 1000

/** Starts from the current size of the folders. */
export async function createDiskMeter(folders: readonly string[], limit: number): Promise<DiskMeter> {
  const initial = await bytesIn(folders)
  let grown = 0
  let freeAtLook = await freeBytes(folders)
  let nextLook = Date.now() + restMs

  const look = async (pids: readonly number[]) => {
    const started = Date.now()
    freeAtLook = await freeBytes(folders)
    // Files that were removed while open are in no folder.
    grown = (await bytesIn(folders)) - initial + removedBytes(pids)
    nextLook = Date.now() + Math.max(restMs, (Date.now() - started) * restFactor)
    return grown > limit
  }
  const hasFilled = async () => freeAtLook - (await freeBytes(folders)) > limit - grown
  return {
    isExceeded: async (pids) => (Date.now() >= nextLook || (await hasFilled())) && look(await pids()),
    isExceededAtEnd: async () => (await hasFilled()) && look([]),
  }
}

async function freeBytes(folders: readonly string[]): Promise<number> {
  const systems = await Promise.all(folders.map((folder) => statfs(folder)))
  const byDevice = new Map(systems.map((system) => [`${system.type} ${system.blocks}`, system.bfree * system.bsize]))
  return [...byDevice.values()].reduce((sum, bytes) => sum + bytes, 0)
}

async function bytesIn(folders: readonly string[]): Promise<number> {
  const contents = await Promise.all(folders.map((folder) => readdir(folder)))
  const filled = folders.filter((_, index) => (contents[index]?.length ?? 0) > 0)
  if (filled.length === 0) return 0
  // Another process, because walking many files would keep this one from everything else. As root of a namespace of
  // its own it sees into folders that their owner has locked.
  const asRoot =
    process.getuid?.() === 0 || process.platform !== 'linux' ? [] : ['unshare', '--user', '--map-root-user']
  const [command = 'du', ...rest] = [...asRoot, 'du', '-s', '-k', '--', ...filled]
  const printed = await new Promise<string>((resolve) => {
    // It also reports files that disappear while it runs, and continues.
    execFile(command, rest, { env: { PATH: '/usr/bin:/bin' } }, (_error, stdout) => resolve(stdout))
  })
  const lines = printed.split('\n').filter((line) => line !== '')
  return lines.reduce((sum, line) => sum + Number.parseInt(line, 10) * 1024, 0)
}

function removedBytes(pids: readonly number[]): number {
  const files = new Map<string, number>()
  for (const path of pids.flatMap(descriptorsOf)) {
    const found = statQuietly(path)
    if (found?.isFile() && found.nlink === 0) files.set(`${found.dev}:${found.ino}`, found.blocks * 512)
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0)
}

function descriptorsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`)
  } catch {
    return []
  }
}

function statQuietly(path: string) {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}
