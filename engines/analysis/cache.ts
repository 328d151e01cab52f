import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { analyzerVersion, type FactCache, type FileRecord } from './types.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Beyond what 200,000 files amount to; a damaged file could claim to unpack into anything. */
const maxUnpackedBytes = 1_024 * 1_024 * 1_024

/** Facts depend on the content alone; the language may also depend on the file's name. */
export function cacheKey(blobId: string, path: string): string {
  return `${blobId} ${path.slice(path.lastIndexOf('/') + 1)}`
}

/**
 * Facts in one file, which holds the records of the last analysis and nothing else, so that it never has to be
 * cleaned. A file that is missing, damaged or of another version of the analyzer counts as empty.
 */
export function fileCache(path: string): FactCache {
  return {
    async load() {
      const packed = await readFile(path).catch(() => undefined)
      return (packed && (await unpack(packed))) ?? new Map()
    },
    async save(records) {
      const packed = await pack(records)
      await mkdir(dirname(path), { recursive: true })
      // Written beside and moved into place: readers see the old file or the new one, never half of it.
      const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`
      try {
        await writeFile(draft, packed, { mode: 0o600 })
        await rename(draft, path)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    },
  }
}

interface Stored {
  version: number
  records: [key: string, record: FileRecord][]
}

async function pack(records: ReadonlyMap<string, FileRecord>): Promise<Buffer> {
  const stored: Stored = { version: analyzerVersion, records: [...records] }
  return await compress(JSON.stringify(stored), {
    params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
  })
}

/** Undefined for anything but a file that this version of the analyzer wrote; the checksum tells damaged ones apart. */
async function unpack(packed: Buffer): Promise<ReadonlyMap<string, FileRecord> | undefined> {
  try {
    const text = await decompress(packed, { maxOutputLength: maxUnpackedBytes })
    const stored = JSON.parse(text.toString()) as Stored
    return stored.version === analyzerVersion ? new Map(stored.records) : undefined
  } catch {
    return undefined
  }
}
