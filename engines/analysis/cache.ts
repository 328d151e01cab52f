import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { analyzerVersion, type FactCache, type FileRecord } from './types.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

type Records = ReadonlyMap<string, FileRecord>

/** Beyond what 200,000 files amount to; a damaged file could claim to unpack into anything. */
const maxUnpackedBytes = 1_024 * 1_024 * 1_024
/** Each part costs its own decompression. */
const maxParts = 20
/** A file whose changes are a larger share of its records is written anew. */
const maxChangedShare = 0.2
const lengthBytes = 4

/** Facts depend on the content alone; the language may also depend on the file's name. */
export function cacheKey(blobId: string, path: string): string {
  return `${blobId} ${path.slice(path.lastIndexOf('/') + 1)}`
}

/** What a file of facts holds. */
interface Held {
  /** Tells a later file of the same path apart. */
  identity: string
  records: Records
  packed: Buffer
  parts: number
  /** Records that the parts after the first replace, add or remove. */
  changed: number
}

/** The latest file that this process read or wrote. A process that analyzes a project again need not unpack it. */
let latest: { path: string; held: WeakRef<Held> } | undefined

/**
 * Facts in one file, which gives back the records of the last analysis and nothing else. An analysis that changed few
 * of them appends these as a part. A file that is missing, damaged or of another version of the analyzer counts as empty.
 */
export function fileCache(path: string): FactCache {
  let held: Held | undefined
  return {
    async load() {
      held = await read(path)
      return held?.records ?? new Map<string, FileRecord>()
    },
    async save(records) {
      const next = await packNext(held, records)
      await mkdir(dirname(path), { recursive: true })
      // Written beside and moved into place: readers see the old file or the new one, never half of it.
      const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`
      try {
        await writeFile(draft, next.packed, { mode: 0o600 })
        held = { ...next, records, identity: identityOf(await stat(draft, { bigint: true })) }
        await rename(draft, path)
        latest = { path, held: new WeakRef(held) }
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    },
  }
}

async function read(path: string): Promise<Held | undefined> {
  const file = await open(path).catch(() => undefined)
  if (!file) return undefined
  try {
    const identity = identityOf(await file.stat({ bigint: true }))
    const known = latest?.path === path ? latest.held.deref() : undefined
    if (known?.identity === identity) return known
    const unpacked = await unpack(await file.readFile())
    const held = unpacked && { ...unpacked, identity }
    if (held) latest = { path, held: new WeakRef(held) }
    return held
  } catch {
    return undefined
  } finally {
    await file.close()
  }
}

/** Every write makes a new file. */
const identityOf = ({ ino, size, mtimeNs }: { ino: bigint; size: bigint; mtimeNs: bigint }) =>
  `${ino} ${size} ${mtimeNs}`

interface Part {
  version: number
  records: [key: string, record: FileRecord][]
  /** Keys of earlier parts. */
  removed: string[]
}

async function packNext(held: Held | undefined, records: Records): Promise<Omit<Held, 'identity' | 'records'>> {
  if (held && held.parts < maxParts) {
    const changes = changesSince(held.records, records)
    const changed = held.changed + changes.records.length + changes.removed.length
    if (changed <= records.size * maxChangedShare) {
      return { packed: Buffer.concat([held.packed, await pack(changes)]), parts: held.parts + 1, changed }
    }
  }
  return { packed: await pack({ version: analyzerVersion, records: [...records], removed: [] }), parts: 1, changed: 0 }
}

function changesSince(before: Records, after: Records): Part {
  const changed = [...after].filter(([key, record]) => !isSame(before.get(key), record))
  const removed = [...before.keys()].filter((key) => !after.has(key))
  return { version: analyzerVersion, records: changed, removed }
}

/** Facts and descriptions are never changed in place. */
function isSame(before: FileRecord | undefined, after: FileRecord): boolean {
  if (!before) return false
  const fields = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof FileRecord)[])
  for (const field of fields) if (before[field] !== after[field]) return false
  return true
}

/** A part with its length before it. */
async function pack(part: Part): Promise<Buffer> {
  const packed = await compress(JSON.stringify(part), {
    params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
  })
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(packed.length)
  return Buffer.concat([length, packed])
}

/** Undefined for anything but a file that this version of the analyzer wrote; the checksum tells damaged ones apart. */
async function unpack(packed: Buffer): Promise<Omit<Held, 'identity'> | undefined> {
  const records = new Map<string, FileRecord>()
  let parts = 0
  let changed = 0
  let maxOutputLength = maxUnpackedBytes
  for (let start = 0; start < packed.length; parts += 1) {
    const end = start + lengthBytes + packed.readUInt32LE(start)
    if (end > packed.length) return undefined
    const text = await decompress(packed.subarray(start + lengthBytes, end), { maxOutputLength })
    maxOutputLength -= text.length
    const part = JSON.parse(text.toString()) as Part
    if (part.version !== analyzerVersion) return undefined
    for (const key of part.removed) records.delete(key)
    for (const [key, record] of part.records) records.set(key, record)
    if (parts > 0) changed += part.records.length + part.removed.length
    start = end
  }
  return parts === 0 ? undefined : { records, packed, parts, changed }
}
