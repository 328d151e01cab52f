import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeBareRepository } from './bare-repository.ts'
import { gitDirOf, urlOfClone } from './clone.ts'
import { isErrno, isThere } from './files.ts'
import { GitError, runGit, startGit } from './git.ts'
import { openLocal } from './local.ts'
import { pathText } from './path-text.ts'
import { ByteReader, nulRecords } from './records.ts'
import { checkedLocation } from './remote.ts'
import type { TreeEntry } from './types.ts'

/** Objects of commits on this machine, which are read without waiting for the users of a clone. */
export interface StoredObjects {
  /** A bare repository of ours. */
  gitDir: string
  /** Folders with objects that it also reads. */
  objects: readonly string[]
}

interface StoredObjectsOptions {
  /** An own folder for a bare repository without objects. */
  directory: string
  /** The folders of clones of the project, as in `OpenCommitOptions`. */
  clones: readonly string[]
  repository: { url: string; allowLocal: boolean }
  /** The bare repository of a snapshot. */
  snapshotDir?: string | undefined
  commitSha: string
  signal: AbortSignal
}

/**
 * Finds the objects that clones of a repository hold, or those of a repository on this machine. Another process may delete
 * them at any time, so that a missing object means nothing.
 */
export async function findStoredObjects(options: StoredObjectsOptions): Promise<StoredObjects> {
  const { directory, clones, repository, snapshotDir, commitSha, signal } = options
  const location = checkedLocation({ ...repository, allowCidrs: [] }, { commitSha })
  const objects = snapshotDir === undefined ? [] : [join(snapshotDir, 'objects')]
  if (location.kind === 'local') {
    const { commonDir } = await openLocal(location.path, signal)
    objects.push(join(commonDir, 'objects'))
  } else {
    for (const clone of clones) {
      // The project may have had another repository before.
      if (isOf(location.url, await urlOfClone(clone))) objects.push(join(gitDirOf(clone, 'content'), 'objects'))
    }
  }
  return { gitDir: await emptyRepository(directory, commitSha.length === 64 ? 'sha256' : 'sha1'), objects }
}

/** Some hosts know a repository only with the ending `.git`. */
const isOf = (url: string, cloned: string | undefined) =>
  cloned === url || cloned === `${url.replace(/(?<!\/)\/+$/, '')}.git`

async function emptyRepository(directory: string, format: 'sha1' | 'sha256'): Promise<string> {
  const gitDir = join(directory, `${format}.git`)
  if (await isThere(join(gitDir, 'HEAD'))) return gitDir
  const made = join(directory, `${randomUUID()}.git`)
  await mkdir(dirname(made), { recursive: true })
  await makeBareRepository(made, format)
  try {
    await rename(made, gitDir)
  } catch (error) {
    // Another call has made it.
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error
    await rm(made, { recursive: true, force: true })
  }
  return gitDir
}

/** A file or folder of a commit. */
export interface StoredEntry extends Pick<TreeEntry, 'path' | 'blobId' | 'mode'> {
  isFolder: boolean
}

/**
 * Finds a path in a commit. Returns undefined if the commit or its folders are not stored, and null if the commit has no
 * such path.
 */
export async function findStoredEntry(
  stored: StoredObjects,
  commitSha: string,
  path: string,
  signal: AbortSignal,
): Promise<StoredEntry | null | undefined> {
  const args = ['ls-tree', '-z', '--full-tree', commitSha, '--', path]
  const found = await listEntries(stored, args, signal)
  const exact = found?.find((entry) => entry.path === path)
  if (found === undefined || exact || !path.includes('\\')) return found && (exact ?? null)
  // An escape stands for bytes that are not known here.
  const all = await listEntries(stored, ['ls-tree', '-r', '-z', '--full-tree', commitSha], signal)
  return all && (all.find((entry) => entry.path === path) ?? null)
}

/** Lists what is directly in a folder, or with `isDeep` all files below it. Returns undefined if it is not stored. */
export async function listStoredFolder(
  stored: StoredObjects,
  commitSha: string,
  folder: string,
  { isDeep = false, signal }: { isDeep?: boolean; signal: AbortSignal },
): Promise<StoredEntry[] | undefined> {
  const place = folder === '' ? [] : ['--', `${folder}/`]
  return listEntries(stored, ['ls-tree', ...(isDeep ? ['-r'] : []), '-z', '--full-tree', commitSha, ...place], signal)
}

async function listEntries(
  stored: StoredObjects,
  args: readonly string[],
  signal: AbortSignal,
): Promise<StoredEntry[] | undefined> {
  await using git = await startGit({ args, signal, ...repositoryOf(stored) })
  git.stdin.end()
  const entries: StoredEntry[] = []
  for await (const records of nulRecords(git.stdout)) {
    for (const record of records) {
      const tab = record.indexOf('\t')
      const [mode = '', type, blobId = ''] = record.toString('latin1', 0, tab).split(' ')
      entries.push({ path: pathText(record.subarray(tab + 1)), blobId, mode, isFolder: type === 'tree' })
    }
  }
  return unlessMissing(async () => {
    await git.succeed()
    return entries
  })
}

/** Reads a file. Returns undefined if it is not stored, and null for the content of a file that is too large. */
export async function readStoredBlob(
  stored: StoredObjects,
  blobId: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ bytes: number; content: Buffer | null } | undefined> {
  await using git = await startGit({ args: ['cat-file', '--batch'], signal, ...repositoryOf(stored) })
  git.stdin.end(`${blobId}\n`)
  const reader = new ByteReader(git.stdout)
  const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec((await reader.line()) ?? '') ?? []
  if (size === undefined) return undefined
  const bytes = Number(size)
  if (bytes > maxBytes) return { bytes, content: null }
  const content = await reader.bytes(bytes)
  return content && { bytes, content }
}

/** Returns the ids of a file's content in several commits, in their order; undefined where it is not known. */
export async function storedContentIds(
  stored: StoredObjects,
  commits: readonly string[],
  path: string,
  signal: AbortSignal,
): Promise<(string | undefined)[]> {
  // Such a path may have bytes that are not known here.
  if (commits.length === 0 || /[\\\n]/.test(path)) return commits.map(() => undefined)
  const output = await unlessMissing(() =>
    runGit(
      {
        args: ['cat-file', '--batch-check=%(objectname) %(objecttype)', '--buffer'],
        signal,
        ...repositoryOf(stored),
      },
      commits.map((commit) => `${commit}:${path}\n`).join(''),
    ),
  )
  const lines = output?.split('\n') ?? []
  return commits.map((_commit, index) => /^([0-9a-f]+) blob$/.exec(lines[index] ?? '')?.[1])
}

const repositoryOf = ({ gitDir, objects }: StoredObjects) => ({
  gitDir,
  environment: { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.map(listed).join(':') },
})

/** Git splits the list at colons, and reads a path in quotes as C does. */
const listed = (path: string) => (/[:"\n]/.test(path) ? JSON.stringify(path) : path)

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}
