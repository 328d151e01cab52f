import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit } from '../git.ts'
import { feed, inTree, nulExchange, onObjects, type StagingArea } from './staging-area.ts'

/** A file to stage, with the mode that it gets. */
export interface FileToStage {
  name: Buffer
  path: Buffer
  mode: string
  bytes: number
  /** The object that the index has; absent for a new file. */
  id?: string
}

/**
 * Returns the filters of these files for which the user has a program, which `git add` would run. Filters without a
 * program change nothing.
 */
export async function filtersOf(
  area: StagingArea,
  files: readonly FileToStage[],
): Promise<ReadonlyMap<FileToStage, string>> {
  const filters = new Map<FileToStage, string>()
  if (area.filters.size === 0 || files.length === 0) return filters
  const input = files.map(({ name }) => name)
  let index = 0
  // Path, attribute and value of each file, in the order of the input.
  for await (const record of nulExchange(inTree(area, 'check-attr', '-z', '--stdin', 'filter'), input)) {
    const file = files[Math.floor(index / 3)]
    const filter = record.toString()
    if (file && index % 3 === 2 && area.filters.has(filter) && !file.mode.startsWith('12')) filters.set(file, filter)
    index++
  }
  return filters
}

/** Whether the file has the content that the index has: only its modification time differs, for example. */
export async function isSame({ repository, signal }: StagingArea, { path, bytes, id }: FileToStage): Promise<boolean> {
  if (id === undefined) return false
  const hash = createHash(repository.format).update(`blob ${bytes}\0`)
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex') === id
}

/**
 * Stages files of Git LFS as `git lfs clean` would: as the pointer to their content, which stays here. A file that is
 * a pointer already, or empty, is stored as it is.
 */
export async function stagePointers(area: StagingArea, files: readonly FileToStage[]): Promise<void> {
  if (files.length === 0) return
  const folder = join(area.gitDir, 'pointers')
  await mkdir(folder, { recursive: true })
  try {
    const paths: string[] = []
    for (const [index, file] of files.entries()) {
      const path = join(folder, String(index))
      await writeFile(path, (await isPointer(file)) ? await contentOf(file) : await pointerTo(file, area.signal))
      paths.push(path)
    }
    const ids: string[] = []
    for (let start = 0; start < paths.length; start += filesAtOnce) {
      const part = paths.slice(start, start + filesAtOnce)
      const printed = await runGit(onObjects(area, 'hash-object', '-w', '--no-filters', '--', ...part))
      ids.push(...printed.trim().split('\n'))
    }
    const records = files.map(({ name, mode }, index) =>
      Buffer.concat([Buffer.from(`${mode} ${ids[index] ?? ''}\t`), name]),
    )
    await feed(inTree(area, 'update-index', '-z', '--index-info'), records)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const filesAtOnce = 500
const maxPointerBytes = 1_024
const version = 'version https://git-lfs.github.com/spec/v1\n'

async function isPointer(file: FileToStage): Promise<boolean> {
  if (file.bytes === 0) return true
  return file.bytes < maxPointerBytes && (await contentOf(file)).toString('latin1').startsWith(version)
}

async function contentOf({ path }: FileToStage): Promise<Buffer> {
  await using file = await open(path, 'r')
  const { bytesRead, buffer } = await file.read(Buffer.alloc(maxPointerBytes), 0, maxPointerBytes, 0)
  return buffer.subarray(0, bytesRead)
}

async function pointerTo({ path }: FileToStage, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return `${version}oid sha256:${hash.digest('hex')}\nsize ${bytes}\n`
}
