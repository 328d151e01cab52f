import { execFile } from 'node:child_process'
import { readdir, statfs } from 'node:fs/promises'
import type { ExecutionLimits } from './executor.ts'
import { count, megabytes } from './amounts.ts'
import { measureRemovedFiles } from './removed-files.ts'
import { quote } from './shell.ts'

/** The limit that was exceeded, and a sentence about it. */
export interface Excess {
  reason: 'disk' | 'files'
  message: string
}

/** Measures whether folders have grown by more than the limits. */
export interface DiskMeter {
  /** Measures at intervals, and immediately if the file system has lost more than the limits leave. */
  excess(pids: () => Promise<number[]>): Promise<Excess | null>
  /** Measures only if the file system has filled that much: for the end of a command. */
  excessAtEnd(): Promise<Excess | null>
}

interface Amount {
  bytes: number
  files: number
}

/** Measuring large folders is slow: the next measurement waits this many times as long as the last took. */
const restFactor = 10
const restMs = 1000
/** A file system with less than this is full: a quota of the kernel has stopped the command before we look. */
const fullAt: Amount = { bytes: 256 * 1024, files: 4 }

/** A little more than the disk limit, so that a command stopped by it is over the limit, too. */
export const maxFileBytes = ({ diskBytes }: Pick<ExecutionLimits, 'diskBytes'>) => diskBytes + 1024 * 1024

/** Starts from the current size of the folders. */
export async function createDiskMeter(
  folders: readonly string[],
  { diskBytes, files }: Pick<ExecutionLimits, 'diskBytes' | 'files'>,
): Promise<DiskMeter> {
  const initial = await amountIn(folders)
  let grown: Amount = { bytes: 0, files: 0 }
  let freeAtLook = await freeAmount(folders)
  let nextLook = Date.now() + restMs

  const look = async (pids: readonly number[]): Promise<Excess | null> => {
    const started = Date.now()
    freeAtLook = await freeAmount(folders)
    const now = await amountIn(folders)
    // Files that were removed while open or mapped are in no folder.
    const bytes = now.bytes - initial.bytes + measureRemovedFiles(pids).diskBytes
    grown = { bytes, files: now.files - initial.files }
    nextLook = Date.now() + Math.max(restMs, (Date.now() - started) * restFactor)
    if (grown.bytes > diskBytes) return tooManyBytes(diskBytes)
    if (grown.files <= files) return null
    return { reason: 'files', message: `The command created more than ${count(files)} files and folders.` }
  }
  const hasFilled = (free: Amount) =>
    freeAtLook.bytes - free.bytes > diskBytes - grown.bytes || freeAtLook.files - free.files > files - grown.files
  return {
    excess: async (pids) => {
      const free = await freeAmount(folders)
      return free.isFull ?? (Date.now() >= nextLook || hasFilled(free) ? look(await pids()) : null)
    },
    excessAtEnd: async () => {
      const free = await freeAmount(folders)
      return free.isFull ?? (hasFilled(free) ? look([]) : null)
    },
  }
}

/** For a command that the kernel stopped while it wrote, as well as for one that we stop. */
export const tooManyBytes = (limit: number): Excess => ({
  reason: 'disk',
  message: `The command wrote more than ${megabytes(limit)} to the disk.`,
})

interface Free extends Amount {
  /** Set if a file system has no room left. */
  isFull: Excess | null
}

async function freeAmount(folders: readonly string[]): Promise<Free> {
  const systems = await Promise.all(folders.map((folder) => statfs(folder)))
  const byDevice = new Map(systems.map((system) => [`${system.type} ${system.blocks} ${system.files}`, system]))
  const free: Free = { bytes: 0, files: 0, isFull: null }
  for (const { blocks, bavail, bfree, bsize, files, ffree } of byDevice.values()) {
    free.bytes += bfree * bsize
    free.files += ffree
    if (bavail * bsize < fullAt.bytes)
      free.isFull ??= { reason: 'disk', message: `The command filled the disk of ${megabytes(blocks * bsize)}.` }
    // Some file systems have no fixed number of files.
    if (files > 0 && ffree < fullAt.files)
      free.isFull ??= {
        reason: 'files',
        message: `The command created all ${count(files)} files that the disk can have.`,
      }
  }
  return free
}

async function amountIn(folders: readonly string[]): Promise<Amount> {
  const contents = await Promise.all(folders.map((folder) => readdir(folder)))
  const filled = folders.filter((_, index) => (contents[index]?.length ?? 0) > 0)
  if (filled.length === 0) return { bytes: 0, files: 0 }
  // Other processes, because walking many files would keep this one from everything else. As root of a namespace of
  // its own they see into folders that their owner has locked.
  const asRoot =
    process.getuid?.() === 0 || process.platform !== 'linux' ? [] : ['unshare', '--user', '--map-root-user']
  const names = filled.map(quote).join(' ')
  const [command, ...rest] = [...asRoot, 'sh', '-c', `du -s -k -- ${names}; echo; du -s --inodes -- ${names}`]
  const printed = await new Promise<string>((resolve) => {
    // It also reports files that disappear while it runs, and continues. Not every du counts files.
    execFile(command, rest, { env: { PATH: '/usr/bin:/bin' } }, (_error, stdout) => resolve(stdout))
  })
  const [kilobytes = 0, files = 0] = printed.split('\n\n').map((part) =>
    part
      .split('\n')
      .filter((line) => line !== '')
      .reduce((sum, line) => sum + Number.parseInt(line, 10), 0),
  )
  return { bytes: kilobytes * 1024, files }
}
