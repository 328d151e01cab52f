import { listStoredFolder, type StoredEntry } from '../../engines/source/stored-files.ts'
import type { Context } from '../base/context.ts'
import { notFound } from '../base/errors.ts'
import { shown } from '../base/repository-path.ts'
import { getOwnProject } from '../projects/get.ts'
import { findState } from './find-state.ts'
import { readSource } from './read-source.ts'
import type { FilesPage, ListFiles } from './schema.ts'

/** Lists what is directly in a folder of a commit, or searches the paths of all files below it. */
export async function listFiles(ctx: Context, input: ListFiles): Promise<FilesPage> {
  const { folder, search, limit, offset } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const state = await findState(ctx, project, input)
  const isDeep = search !== undefined
  const found = await readSource(ctx, project, state, (stored) =>
    listStoredFolder(stored, state.commitSha, folder, { isDeep, signal: ctx.signal }),
  )
  if (folder !== '' && found.length === 0) throw notFound('folder', `The commit has no folder ${shown(folder)}.`)
  const entries = search === undefined ? foldersFirst(found) : matching(found, search)
  const shownEntries = entries.slice(offset, offset + limit).map((entry) => ({
    path: entry.path,
    name: entry.path.slice(entry.path.lastIndexOf('/') + 1),
    kind: kindOf(entry),
  }))
  const { commitSha, snapshotId } = state
  return { commitSha, snapshotId, entries: shownEntries, pagination: { total: entries.length, limit, offset } }
}

const foldersFirst = (entries: readonly StoredEntry[]) =>
  entries.toSorted((a, b) => Number(b.isFolder) - Number(a.isFolder))

/** Files with the text in their name come first. */
function matching(entries: readonly StoredEntry[], search: string): StoredEntry[] {
  const wanted = search.toLowerCase()
  const found = entries.flatMap((entry) => {
    const path = entry.path.toLowerCase()
    const at = path.lastIndexOf(wanted)
    return at < 0 ? [] : [{ entry, isInName: at > path.lastIndexOf('/') }]
  })
  return found.toSorted((a, b) => Number(b.isInName) - Number(a.isInName)).map(({ entry }) => entry)
}

function kindOf({ mode, isFolder }: StoredEntry): FilesPage['entries'][number]['kind'] {
  if (isFolder) return 'folder'
  if (mode === '120000') return 'symlink'
  return mode === '160000' ? 'submodule' : 'file'
}
