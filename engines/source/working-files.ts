import { createHash } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { TreeEntry } from './types.ts'
import type { ObjectFormat } from './bare-repository.ts'
import { isErrno } from './files.ts'

/** What git knows of a tracked file from the last time it looked. */
export interface IndexedState {
  mtimeNs: bigint
  ctimeNs: bigint
  inode: bigint
  size: bigint
}

/** The id of content that is not read for its size. */
export const unreadId = (format: ObjectFormat) => '0'.repeat(format === 'sha1' ? 40 : 64)

export function blobIdOf(content: Buffer, format: ObjectFormat): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest('hex')
}

/** Names are bytes: not every one of them is text. */
export const fullPath = (top: string, name: Buffer) => Buffer.concat([Buffer.from(`${top}/`), name])

/**
 * Whether a name leads to a place in the tree: neither out of it nor into its `.git`. Checked here because an index
 * can hold any name, and because a folder may have become a symlink since git listed what is in it.
 */
export function insideTree(top: string) {
  const folders = new Map<string, boolean>([['.', true]])
  const isFolder = (folder: string): boolean => {
    const known = folders.get(folder)
    if (known !== undefined) return known
    const path = fullPath(top, Buffer.from(folder, 'latin1'))
    const real = isFolder(dirname(folder)) && statOf(path)?.isDirectory() === true
    folders.set(folder, real)
    return real
  }
  return (name: Buffer): boolean => {
    const path = name.toString('latin1')
    const escapes = path.split('/').some((part) => ['', '.', '..', '.git'].includes(part.toLowerCase()))
    return !escapes && isFolder(dirname(path))
  }
}

/** Undefined where there is nothing. Never follows a symlink in the last place. */
export function statOf(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG', 'ELOOP')) return undefined
    throw error
  }
}

export function modeOf(stats: BigIntStats): TreeEntry['mode'] | undefined {
  if (stats.isSymbolicLink()) return '120000'
  if (!stats.isFile()) return undefined
  return (stats.mode & 0o100n) === 0n ? '100644' : '100755'
}

/**
 * Whether git would take the file for unchanged without reading it. A file that changed after the index was written,
 * or in the same moment, may look like its older self.
 */
export function isUnchanged(stats: BigIntStats, indexed: IndexedState | undefined, indexWritten: bigint): boolean {
  return (
    indexed !== undefined &&
    stats.mtimeNs === indexed.mtimeNs &&
    stats.ctimeNs === indexed.ctimeNs &&
    BigInt.asUintN(32, stats.ino) === indexed.inode &&
    BigInt.asUintN(32, stats.size) === indexed.size &&
    stats.mtimeNs < indexWritten
  )
}

export const isSameState = (a: BigIntStats, b: BigIntStats) =>
  a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino && a.size === b.size

/**
 * The content of a file, or the target of a symlink; null when it is gone, too large or neither of both. Not
 * asynchronous: files are many and small, and handing each to another thread takes five times as long as reading it.
 */
export function readWorkingFile(path: Buffer, maxBytes: number): Buffer | null {
  try {
    if (lstatSync(path).isSymbolicLink()) return readlinkSync(path, { encoding: 'buffer' })
    // Not blocking, should it have become a pipe just now.
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stats = fstatSync(file)
      if (!stats.isFile() || stats.size > maxBytes) return null
      const content = readFileSync(file)
      return content.length > maxBytes ? null : content
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENXIO', 'EINVAL', 'EISDIR', 'EPERM')) return null
    throw error
  }
}
