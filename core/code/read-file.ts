import { highlightApart } from '../../engines/highlighting/highlight.ts'
import {
  findStoredEntry,
  readStoredBlob,
  type StoredEntry,
  type StoredObjects,
} from '../../engines/source/stored-files.ts'
import type { Context } from '../base/context.ts'
import { invalidField, notFound } from '../base/errors.ts'
import { shown } from '../base/repository-path.ts'
import type { OwnProject } from '../projects/get.ts'
import { ownerOf } from '../projects/owner.ts'
import { type KeptFile, keyOf } from './caches.ts'
import { type CodeState, readSource } from './read-source.ts'

/** Larger files are not shown. */
export const maxFileBytes = 8 * 2 ** 20

/** A file of a commit, with the tokens of its text. */
export interface SourceFile extends KeptFile {
  contentId: string
}

interface Content {
  key: string
  contentId: string
}

interface ReadBlob {
  bytes: number
  content: Buffer | null
}

/**
 * Reads a file of a commit and splits it into tokens, unless both is known.
 *
 * @throws AppError 404 if the commit has no such file; 400 for a path that is no file
 */
export async function readFile(ctx: Context, project: OwnProject, state: CodeState, path: string): Promise<SourceFile> {
  const { files } = ctx.code
  // A task outlives a caller who disconnects, because others may wait for it. Its time is limited.
  const runner = ctx.engines.interactive.runnerFor(ownerOf(project))
  const place = [project.id, project.repository, state.snapshotId, state.commitSha, path]
  const kept = () => {
    const content = files.at(place)
    const file = content && files.get(content.key)
    return file && { ...content, ...file }
  }
  const read = async (stored: StoredObjects) => {
    const entry = await findStoredEntry(stored, state.commitSha, path, ctx.signal)
    if (entry === undefined) return undefined
    requireFile(entry, path)
    const content = { key: keyOf([project.id, path, entry.blobId]), contentId: entry.blobId }
    files.rememberPlace(place, content)
    const known = files.get(content.key)
    if (known) return { ...content, ...known }
    const blob = await readStoredBlob(stored, entry.blobId, maxFileBytes, ctx.signal)
    return blob && { ...content, ...blob }
  }
  const found = await readSource<(Content & KeptFile) | (Content & ReadBlob)>(ctx, project, state, read, kept)
  if ('text' in found) return found
  const { key, contentId, bytes, content } = found
  const text = await files.find(key, async () => ({ bytes, text: await highlightApart(runner, { path, content }) }))
  return { contentId, ...text }
}

function requireFile(entry: StoredEntry | null, path: string): asserts entry is StoredEntry {
  if (entry === null) throw notFound('file', `The commit has no ${shown(path)}.`)
  if (entry.isFolder) throw invalidField('path', 'is a folder. Give the path of a file in it.')
  if (entry.mode === '120000')
    throw invalidField('path', 'is a symbolic link. Give the path of the file that it leads to.')
  if (entry.mode === '160000') throw invalidField('path', 'is a submodule, whose files are in another repository.')
}
