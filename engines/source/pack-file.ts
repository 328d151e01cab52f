import { open } from 'node:fs/promises'
import type { SnapshotLimits } from './snapshot.ts'
import { sizeText, tooLarge } from './too-large.ts'
import { RepositoryError } from './types.ts'

/** Git's smallest object in a pack: one byte of header, and what zlib makes of nothing. */
const minEntryBytes = 9
const headerBytes = 12
const trailerBytes = 20
/** Folders and the versions of local commits come on top of the files. */
const objectsPerFile = 4

export const invalidPack = (what: string) =>
  new RepositoryError('invalid_pack', `${what} Send a pack as git pack-objects writes it.`)

/** @param has - "The pack has 70,000,000 bytes" */
export const packTooLarge = (has: string, { maxPackBytes }: SnapshotLimits): RepositoryError =>
  tooLarge(`${has}, and may have ${maxPackBytes.toLocaleString('en')} (${sizeText(maxPackBytes)}).`, [], maxPackBytes)

/**
 * Reads the first bytes of a file that a stranger sent, and refuses what cannot be a pack within the limits before git
 * reads it.
 *
 * @returns the bytes of the file
 */
export async function checkPackFile(path: string, limits: SnapshotLimits): Promise<number> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  if (size > limits.maxPackBytes) throw packTooLarge(`The pack has ${size.toLocaleString('en')} bytes`, limits)
  const header = Buffer.alloc(headerBytes)
  await file.read(header, 0, headerBytes, 0)
  const kind = foreignFormats.find(([, start]) => header.subarray(0, start.length).equals(start))?.[0]
  if (kind !== undefined) throw invalidPack(`The file is ${kind}, not a git pack.`)
  if (header.toString('latin1', 0, 4) !== 'PACK') throw invalidPack('The file is not a git pack.')
  const version = header.readUInt32BE(4)
  if (version !== 2 && version !== 3) {
    throw invalidPack(`The pack has version ${version}. This server reads versions 2 and 3.`)
  }
  const objects = header.readUInt32BE(8)
  if (size < headerBytes + trailerBytes || objects * minEntryBytes > size - headerBytes - trailerBytes) {
    throw invalidPack('The pack is incomplete: it is too short for the objects that it announces.')
  }
  if (objects > limits.maxFiles * objectsPerFile) {
    throw new RepositoryError(
      'too_large',
      `The pack has ${objects.toLocaleString('en')} objects, and this server accepts ` +
        `${(limits.maxFiles * objectsPerFile).toLocaleString('en')}. Push your commits first, and send a smaller pack.`,
    )
  }
  return size
}

const foreignFormats: readonly [string, Buffer][] = [
  ['a git bundle', Buffer.from('# v')],
  ['a zip file', Buffer.from('PK\x03\x04')],
  ['a gzip file', Buffer.from([0x1f, 0x8b])],
]
