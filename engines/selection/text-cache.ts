import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { cacheKey } from '../analysis/cache.ts'
import type { TreeEntry } from '../source/types.ts'
import type { TextFacts } from './text-facts.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Raise it whenever `textFactsOf` changes. */
const version = 4
/** A damaged file could claim to unpack into anything. */
const maxUnpackedBytes = 512 * 2 ** 20

interface Stored {
  version: number
  texts: [key: string, facts: TextFacts][]
}

/** The text facts of the last selection of a project, in one file, as `fileCache` keeps those of analyses. */
export function textCache(path: string) {
  let loaded: ReadonlyMap<string, TextFacts> = new Map()
  return {
    async load(): Promise<ReadonlyMap<string, TextFacts>> {
      try {
        const packed = await readFile(path)
        const stored = JSON.parse(
          (await decompress(packed, { maxOutputLength: maxUnpackedBytes })).toString(),
        ) as Stored
        if (stored.version === version) loaded = new Map(stored.texts)
      } catch {
        // A file that is missing or damaged counts as empty.
      }
      return loaded
    },
    /** Does nothing if almost all of this was known: reading a few files again takes less time than writing all. */
    async save(texts: ReadonlyMap<string, TextFacts>, entries: readonly TreeEntry[]): Promise<void> {
      const byKey = new Map<string, TextFacts>()
      for (const { path: file, blobId } of entries) {
        const facts = texts.get(file)
        // Working trees give ids of zeros to content that was never hashed.
        if (facts && !/^0+$/.test(blobId)) byKey.set(cacheKey(blobId, file), facts)
      }
      const added = [...byKey.keys()].filter((key) => !loaded.has(key)).length
      if (added <= loaded.size / 20) return
      const stored: Stored = { version, texts: [...byKey] }
      const packed = await compress(JSON.stringify(stored), {
        params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
      })
      await mkdir(dirname(path), { recursive: true })
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
