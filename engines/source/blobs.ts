import type { AnalysisWarning } from './schema.ts'
import type { SourceLimits, TreeEntry } from './types.ts'
import type { KeptContents } from './kept-contents.ts'
import type { ObjectReader } from './object-reader.ts'
import type { ByteReader } from './records.ts'
import { type WarningWriter, warningWriter } from './warnings.ts'

export interface ContentOf {
  entry: TreeEntry
  content: Buffer | null
}

/** Decides which contents are given out: none over the limit, and together no more than the limit of all. */
export type Admit = (entry: TreeEntry) => boolean

// Each costs a new process, and a repository with so many damaged objects is not worth more of them.
const maxDamaged = 100

/** Each entry is checked once, even if it is read several times. */
export function contentBudget(limits: SourceLimits, warn: WarningWriter): Admit {
  const decided = new Map<TreeEntry, boolean>()
  let left = limits.maxTotalBytes
  return (entry) => {
    if (entry.size === null || entry.size > limits.maxBlobBytes) return false
    const known = decided.get(entry)
    if (known !== undefined) return known
    const fits = entry.size <= left
    decided.set(entry, fits)
    if (fits) left -= entry.size
    else
      warn('limit_reached', 'it was not read because earlier files used up the size limit of the analysis', entry.path)
    return fits
  }
}

export interface BlobSource {
  objects: ObjectReader
  maxBlobBytes: number
  admit: Admit
  warnings: AnalysisWarning[]
}

/** Reads blobs in the order given, and no faster than they are taken. Those that were kept are not read again. */
export async function* readBlobs(
  source: BlobSource,
  entries: readonly TreeEntry[],
  signal: AbortSignal,
  kept?: KeptContents,
): AsyncGenerator<ContentOf> {
  const admitted = entries.map(source.admit)
  const known = entries.map(({ blobId }, index) => (admitted[index] ? kept?.get(blobId) : undefined))
  const wanted = entries.filter((_entry, index) => admitted[index] && !known[index])
  const contents = readObjects(source, wanted, signal)
  const warn = warningWriter(source.warnings)
  try {
    for (const [index, entry] of entries.entries()) {
      let content = known[index] ?? null
      if (admitted[index] && !content) {
        content = (await contents.next()).value ?? null
        if (content) kept?.add(entry.blobId, content)
        else warn('missing_content', 'its content cannot be read', entry.path)
      }
      yield { entry, content }
    }
  } finally {
    await contents.return(undefined)
  }
}

async function* readObjects(
  { objects, maxBlobBytes }: BlobSource,
  entries: readonly TreeEntry[],
  signal: AbortSignal,
): AsyncGenerator<Buffer | null, undefined> {
  let next = 0
  // A damaged object ends git. It is skipped, and a new git process continues with the next object.
  for (let damaged = 0; next < entries.length && damaged <= maxDamaged; damaged++) {
    const start = next
    await using reading = await objects.read(entries.slice(start), signal)
    for (; next < entries.length; next++) {
      const content = await readObject(reading.bytes, maxBlobBytes)
      signal.throwIfAborted()
      if (content === undefined) break
      // Before it is given out, because nobody asks for what comes after the last one.
      if (next === entries.length - 1) reading.complete()
      yield content
    }
    if (next === entries.length) return undefined
    if (next === start && reading.isKept) continue
    next++
    yield null
  }
  return undefined
}

/** Null for a missing object; undefined if the object differs from its header, after which the stream is unreadable. */
async function readObject(reader: ByteReader, maxBlobBytes: number): Promise<Buffer | null | undefined> {
  const header = await reader.line()
  if (header === undefined) return undefined
  const [, size] = /^[0-9a-f]+ \w+ (\d+)$/.exec(header) ?? []
  if (size === undefined) return null
  if (Number(size) > maxBlobBytes) return undefined
  const content = await reader.bytes(Number(size) + 1)
  return content?.subarray(0, -1)
}
