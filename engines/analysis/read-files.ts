import type { FileTag } from '../languages/schema.ts'
import { cacheKey } from './cache.ts'
import { isGraphManifest } from './graph/configuration.ts'
import { detectLanguage } from '../languages/detect.ts'
import { isGeneratedContent } from '../languages/generated.ts'
import { pathTags } from '../languages/tags.ts'
import { isManifestPath } from '../manifests/read.ts'
import { type Dialect, dialectOf, likelyDialects } from '../parsing/dialects.ts'
import { nameByFile } from '../parsing/javascript/file-name.ts'
import type { ParsePool } from '../parsing/pool.ts'
import type { FileRecord, Progress } from './types.ts'
import type { Snapshot, TreeEntry } from '../source/types.ts'

/** A tracked path with everything that its content says. */
export interface TrackedFile {
  path: string
  size: number
  language: string
  tags: FileTag[]
  /** Absent for symlinks and submodules. */
  record?: FileRecord
  /** The content that `record` is about. */
  blobId: string
  /** The content was not at hand: what `record` says comes from the path alone. */
  unread?: true
}

export interface Reading {
  /** In the order of the snapshot's entries. Facts are complete when `parsed` resolves. */
  files: TrackedFile[]
  parsed: Promise<void>
  /** Content of manifests and configuration files, by path. */
  manifests: Map<string, Buffer>
}

export interface ReadOptions {
  /** Records of earlier analyses, by cache key. */
  known: ReadonlyMap<string, FileRecord>
  /** How often a file is parsed again that took too long. */
  retries: number
  pool: ParsePool
  signal: AbortSignal
  report: (progress: Progress) => void
  /** Called when all manifests have been read, before most other files. */
  onManifests?: ((files: readonly TrackedFile[], manifests: ReadonlyMap<string, Buffer>) => void) | undefined
}

/** Code that is not the project's own is neither worth a test nor evidence for one. */
const unparsedTags: readonly FileTag[] = ['vendored', 'generated', 'symlink', 'submodule']

/**
 * Learns the language of every file and the facts of those that have a parser, reading only what is not known yet.
 * Files are parsed in other processes while the next ones are being read.
 */
export async function readFiles(
  snapshot: Snapshot,
  { known, retries, pool, signal, report, onManifests }: ReadOptions,
): Promise<Reading> {
  const manifests = new Map<string, Buffer>()
  const byEntry = new Map<TreeEntry, TrackedFile>()
  const manifestEntries: TreeEntry[] = []
  const others: TreeEntry[] = []
  for (const entry of snapshot.entries) {
    const file = fileFromCache(entry, known, retries)
    byEntry.set(entry, file)
    if (!isRegular(entry)) continue
    if (isManifest(file)) manifestEntries.push(entry)
    else if (!file.record || lacksFacts(file)) others.push(entry)
  }
  async function* readAll() {
    yield* snapshot.read(manifestEntries, signal, { again: true })
    yield* snapshot.read(others, signal)
  }
  const files = [...byEntry.values()]
  const toRead = [...manifestEntries, ...others]

  const total = snapshot.entries.length
  const parsing = new ParsingFiles(pool, report)
  const dialects = likelyDialects(toRead.map((entry) => entry.path))
  if (dialects.length > 0) pool.warm(dialects)
  let filesDone = total - toRead.length
  report({ phase: 'reading', filesDone, filesTotal: total })
  let manifestsLeft = manifestEntries.length
  if (manifestsLeft === 0) onManifests?.(files, manifests)
  for await (const { entry, content } of readAll()) {
    const file = byEntry.get(entry)
    if (!file) continue
    // In a working tree the file may have changed since it was listed.
    if (!file.record || file.blobId !== entry.blobId) Object.assign(file, fileFromContent(entry, content))
    const dialect = lacksFacts(file)
    if (content && dialect && file.record) await parsing.add(file.path, file.record, content, dialect)
    if (content && isManifest(file)) manifests.set(file.path, content)
    filesDone += 1
    report({ phase: 'reading', filesDone, filesTotal: total })
    manifestsLeft -= 1
    if (manifestsLeft === 0) onManifests?.(files, manifests)
  }
  return { files, parsed: parsing.finish(signal), manifests }
}

export function fileFromCache(entry: TreeEntry, known: ReadonlyMap<string, FileRecord>, retries: number): TrackedFile {
  const { path, blobId } = entry
  const size = entry.size ?? 0
  if (!isRegular(entry)) {
    const tags: FileTag[] = [entry.mode === '160000' ? 'submodule' : 'symlink']
    return { path, size, language: 'Unknown', tags, blobId }
  }
  const record = isHashed(blobId) ? known.get(cacheKey(blobId, path)) : undefined
  if (!record) return { path, size, language: 'Unknown', tags: [], blobId }
  const tags = pathTags(path, record.language, record.generated)
  // A copy, since facts may be added for a path that wants them where the one before did not.
  const copy = { ...record }
  // The machine may have been busy.
  if (copy.unparsed === 'timeout' && (copy.timeouts ?? 1) <= retries) delete copy.unparsed
  return { path, size, language: record.language, tags, record: copy, blobId }
}

export function fileFromContent(entry: TreeEntry, content: Buffer | null): TrackedFile {
  const { path, blobId } = entry
  const language = detectLanguage(path, content)
  const record: FileRecord = { language, size: content?.length ?? entry.size ?? 0 }
  if (content && isGeneratedContent(path, content, language)) record.generated = true
  const tags = pathTags(path, language, record.generated)
  const file: TrackedFile = { path, size: record.size, language, tags, record, blobId }
  if (content) return file
  if (lacksFacts(file)) record.unparsed = 'too_large'
  return { ...file, unread: true }
}

/** The dialect to parse a file in, when its facts are wanted and not known. */
export function lacksFacts({ path, language, tags, record }: TrackedFile): Dialect | undefined {
  if (record?.facts || record?.unparsed || tags.some((tag) => unparsedTags.includes(tag))) return undefined
  return dialectOf(language, path)
}

export function isManifest({ path }: TrackedFile): boolean {
  return isManifestPath(path) || isGraphManifest(path)
}

export function isRegular(entry: TreeEntry): boolean {
  return entry.mode.startsWith('100')
}

/** Working trees give ids of zeros to content that was never hashed. */
export function isHashed(blobId: string): boolean {
  return !/^0+$/.test(blobId)
}

/** What to remember, by cache key. Where missing content decided, the next analysis may do better. */
export function worthKeeping(files: readonly TrackedFile[]): Map<string, FileRecord> {
  const records = new Map<string, FileRecord>()
  for (const { path, blobId, record, unread } of files) {
    if (!record || unread || !isHashed(blobId)) continue
    const key = cacheKey(blobId, path)
    if (!records.get(key)?.facts) records.set(key, record)
  }
  return records
}

/** The files that are being parsed while others are still read. */
class ParsingFiles {
  readonly #pool: ParsePool
  readonly #report: (progress: Progress) => void
  readonly #parsed: Promise<void>[] = []
  #filesDone = 0
  #allRead = false
  #failure: { error: unknown } | undefined

  constructor(pool: ParsePool, report: (progress: Progress) => void) {
    this.#pool = pool
    this.#report = report
  }

  async add(path: string, record: FileRecord, content: Buffer, dialect: Dialect): Promise<void> {
    // Failures are kept for `finish`. If reading fails first, `finish` is not awaited, and a rejection would be unhandled.
    const parsed = this.#pool.parse(content, dialect).then(
      (outcome) => {
        Object.assign(record, 'facts' in outcome ? { facts: nameByFile(outcome.facts, path) } : outcome)
        if (record.unparsed === 'timeout') record.timeouts = (record.timeouts ?? 0) + 1
        this.#filesDone += 1
        if (this.#allRead) this.#reportParsing()
      },
      (error: unknown) => {
        this.#failure ??= { error }
      },
    )
    this.#parsed.push(parsed)
    await this.#pool.ready()
  }

  async finish(signal: AbortSignal): Promise<void> {
    this.#allRead = true
    this.#reportParsing()
    await unlessAborted(signal, Promise.all(this.#parsed))
    if (this.#failure) throw this.#failure.error
  }

  #reportParsing(): void {
    this.#report({ phase: 'parsing', filesDone: this.#filesDone, filesTotal: this.#parsed.length })
  }
}

/** A pool that outlives the analysis finishes its queue, but an aborted analysis does not wait for it. */
export async function unlessAborted(signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    signal.throwIfAborted()
    await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
