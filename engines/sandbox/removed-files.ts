import { readdirSync, readFileSync, readlinkSync, statSync, type Stats } from 'node:fs'

/** What processes hold although no folder has it. */
export interface RemovedFiles {
  /** Of files on disks. */
  diskBytes: number
  /** Of files in memory, whether or not a process has mapped them. */
  memoryBytes: number
}

/**
 * Measures the files that processes keep after they were removed: by descriptors, and by mappings, which stay when the
 * descriptors are closed. Each file counts once.
 */
export function measureRemovedFiles(pids: readonly number[]): RemovedFiles {
  const files = new Map<string, { bytes: number; inMemory: boolean }>()
  for (const { path, name, minBytes, id } of pids.flatMap((pid) => [...descriptorsOf(pid), ...mappingsOf(pid)])) {
    const found = statQuietly(path)
    if (found !== undefined && (!found.isFile() || found.nlink > 0)) continue
    const bytes = found === undefined ? minBytes : found.blocks * 512
    files.set(found === undefined ? id : `${found.dev}:${found.ino}`, { bytes, inMemory: isInMemory(name) })
  }
  const sum = (inMemory: boolean) =>
    [...files.values()].reduce((total, file) => total + (file.inMemory === inMemory ? file.bytes : 0), 0)
  return { diskBytes: sum(false), memoryBytes: sum(true) }
}

interface Held {
  /** Leads to the file, for whom the kernel lets follow it. */
  path: string
  name: string
  id: string
  /** What the file has at least, where it cannot be measured. */
  minBytes: number
}

function descriptorsOf(pid: number): Held[] {
  return listQuietly(`/proc/${pid}/fd`).flatMap((descriptor) => {
    const path = `/proc/${pid}/fd/${descriptor}`
    const name = readLinkQuietly(path)
    return name.endsWith(removed) ? [{ path, name, id: '', minBytes: 0 }] : []
  })
}

const removed = ' (deleted)'

/** Only root may follow links in `map_files`. For others a mapping shows how long the file is at least. */
function mappingsOf(pid: number): Held[] {
  const lines = readQuietly(`/proc/${pid}/maps`).split('\n')
  return lines.flatMap((line) => {
    if (!line.endsWith(removed)) return []
    const [before = '', start = '', end = '', offset = '', device = '', inode = ''] =
      /^(\w+)-(\w+) \S+ (\w+) (\S+) (\d+) /.exec(line) ?? []
    const name = line.slice(before.length).trimStart()
    const [from, to, skipped] = [start, end, offset].map((text) => Number.parseInt(text, 16)) as [
      number,
      number,
      number,
    ]
    const path = `/proc/${pid}/map_files/${start.replace(/^0+(?=.)/, '')}-${end.replace(/^0+(?=.)/, '')}`
    return [{ path, name, id: `${device}:${inode}`, minBytes: skipped + to - from }]
  })
}

/** The kernel's own files, not those of a tmpfs, which may be limited as a disk. */
function isInMemory(name: string): boolean {
  return /^\/(?:memfd:|SYSV|dev\/zero \(deleted\)$)/.test(name)
}

function statQuietly(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function readLinkQuietly(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function listQuietly(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
