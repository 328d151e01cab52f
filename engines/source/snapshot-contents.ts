import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommitSnapshot } from './commit.ts'
import { GitError, runGit, startGit } from './git.ts'
import { invalidPack } from './pack-file.ts'
import { type CommitLinks, objectTypes, readCommits, readShallow } from './parents.ts'
import { pathText } from './path-text.ts'
import type { IndexedPack, Objects, ObjectType } from './received-pack.ts'
import { lineRecords, nulRecords } from './records.ts'
import type { SnapshotLimits } from './snapshot.ts'
import { TopFolders } from './too-large.ts'
import { fileCounter } from './tree.ts'
import { RepositoryError } from './types.ts'

interface Contents {
  /** Has the pack and reads the base's objects. */
  gitDir: string
  indexed: IndexedPack
  baseObjects: Objects
  treeSha: string
  base: Base | null
  headSha: string | null
  limits: SnapshotLimits
  signal: AbortSignal
}

/** A commit whose objects a pack may lack. */
export type Base = Pick<CommitSnapshot, 'gitDir' | 'commitSha' | 'entries'>

export interface CheckedContents {
  files: number
  /** The commits of the pack with a parent that the pack does not have. */
  ends: string[]
}

const submodule = '160000'
/** Linux allows names of 255 bytes, and paths of 4,096 bytes including that of the checkout. */
const maxNameBytes = 255
const maxPathBytes = 3_840

/**
 * Checks that the tree is complete with the pack and the base, that the history of `headSha` leads to the base, and
 * that the pack has nothing else.
 */
export async function checkSnapshotContents(contents: Contents): Promise<CheckedContents> {
  const { gitDir, indexed, base, baseObjects, headSha, signal } = contents
  const { sent } = indexed
  if ([...sent.values()].includes('tag')) throw invalidPack('The pack contains a tag.')
  const ids = [...sent].filter(([, type]) => type === 'commit').map(([id]) => id)
  const commits = await readCommits({ gitDir, signal }, ids)
  checkHistory(commits, base?.commitSha, headSha)
  await checkRoots(contents, commits)
  const tree = await checkTree(contents)
  const ends = [...commits].filter(([, { parents }]) => parents.some((parent) => !commits.has(parent)))
  await hideMissingParents(contents, ends)
  const history = headSha === null || headSha === base?.commitSha ? new Set<string>() : await listHistory(contents)
  const extra = [...sent.keys()].find((id) => !tree.ids.has(id) && !history.has(id) && !baseObjects.has(id))
  if (extra !== undefined) {
    throw invalidPack(`The pack contains the ${sent.get(extra)} ${extra}, which is no part of the snapshot.`)
  }
  return { files: tree.files, ends: ends.map(([id]) => id) }
}

/** @param commits - those of the pack */
function checkHistory(commits: ReadonlyMap<string, CommitLinks>, baseSha: string | undefined, headSha: string | null) {
  const reached = new Set<string>()
  let next = headSha === null ? [] : [headSha]
  while (next.length > 0) {
    const fresh = next.filter((id) => !reached.has(id))
    for (const id of fresh) reached.add(id)
    next = fresh.flatMap((id) => commits.get(id)?.parents ?? [])
  }
  if (headSha !== null && headSha !== baseSha && !commits.has(headSha)) {
    throw new RepositoryError('incomplete_pack', `The pack does not contain the checked-out commit ${headSha}.`)
  }
  if (headSha !== null && baseSha !== undefined && !reached.has(baseSha)) {
    throw invalidPack(`The history of the checked-out commit ${headSha} does not lead to the base ${baseSha}.`)
  }
  const stray = [...commits.keys()].find((id) => !reached.has(id))
  if (stray !== undefined) {
    throw invalidPack(`The pack contains the commit ${stray}, which is not in the history of the checked-out commit.`)
  }
}

/** Git stops at a commit whose tree is another kind of object. A tree of an older commit may be missing. */
async function checkRoots({ gitDir, signal }: Contents, commits: ReadonlyMap<string, CommitLinks>): Promise<void> {
  const roots = [...commits.values()].map(({ tree }) => tree)
  const types = await objectTypes({ gitDir, signal }, roots)
  const wrong = types.findIndex((type) => type !== undefined && type !== 'tree')
  if (wrong !== -1) throw invalidPack(`A commit of the pack has the ${types[wrong]} ${roots[wrong]} as its tree.`)
}

/** The objects of the base's tree. The folder where the base was opened may have others, but not for long. */
export async function objectsOf(base: Base | null, signal: AbortSignal): Promise<Objects> {
  const objects = new Map<string, ObjectType>()
  if (!base) return objects
  const { gitDir, commitSha, entries } = base
  for (const { mode, blobId } of entries) if (mode !== submodule) objects.set(blobId, 'blob')
  objects.set((await runGit({ args: ['rev-parse', `${commitSha}^{tree}`], gitDir, signal })).trim(), 'tree')
  await using git = await startGit({ args: ['ls-tree', '-r', '-d', '-z', '--full-tree', commitSha], gitDir, signal })
  git.stdin.end()
  for await (const records of nulRecords(git.stdout)) {
    for (const record of records) {
      const [, type, id = ''] = record.toString('latin1', 0, record.indexOf('\t')).split(' ')
      if (type === 'tree') objects.set(id, 'tree')
    }
  }
  await git.succeed()
  return objects
}

async function checkTree(contents: Contents): Promise<{ files: number; ids: Set<string> }> {
  const { indexed, baseObjects, treeSha } = contents
  const has = (id: string, type: string | undefined) => (indexed.sent.get(id) ?? baseObjects.get(id)) === type
  if (!has(treeSha, 'tree')) {
    throw new RepositoryError('incomplete_pack', `Neither the pack nor the base has the tree ${treeSha}.`)
  }
  const submodules: TreePath[] = []
  const ids = new Set([treeSha])
  let files = 0
  for await (const { mode, type, id, path } of walkTree(contents, treeSha)) {
    if (type !== 'tree') files++
    if (mode === submodule && !has(id, 'blob') && !has(id, 'tree')) submodules.push({ path, blobId: id })
    // Git lists every mode that it does not know as that of a submodule.
    else if (mode === submodule) throw invalidPack(`The snapshot has ${path} with a mode that git does not know.`)
    else if (!has(id, type)) {
      throw new RepositoryError(
        'incomplete_pack',
        `The snapshot has ${path} as the ${type} ${id}, which neither the pack nor the base has.`,
      )
    }
    ids.add(id)
  }
  await refuseNewSubmodules(contents, submodules)
  return { files, ids }
}

interface TreePath {
  path: string
  blobId: string
}

/** Allows submodules as the base or the checked-out commit has them. The server never has their contents. */
async function refuseNewSubmodules({ gitDir, base, headSha, limits, signal }: Contents, submodules: TreePath[]) {
  const known = new Set(base?.entries.filter(({ mode }) => mode === submodule).map(submoduleKey))
  const isNew = (one: TreePath) => !known.has(submoduleKey(one))
  if (headSha !== null && submodules.some(isNew)) {
    for await (const { mode, id, path } of walkTree({ gitDir, limits, signal }, headSha))
      if (mode === submodule) known.add(submoduleKey({ path, blobId: id }))
  }
  const first = submodules.find(isNew)
  if (!first) return
  throw new RepositoryError(
    'invalid_pack',
    `The submodule ${first.path} is new, or at another commit than in the base and the checked-out commit. Snapshots ` +
      'cannot contain changes of submodules. Commit the change, or undo it with git submodule update.',
  )
}

const submoduleKey = ({ path, blobId }: TreePath) => `${blobId} ${path}`

/** Lists the files and folders of a tree. */
async function* walkTree({ gitDir, limits, signal }: Pick<Contents, 'gitDir' | 'limits' | 'signal'>, name: string) {
  const folders = new TopFolders()
  const count = fileCounter(
    limits.maxFiles,
    (limit) =>
      `The snapshot has ${limit}. Most of them are in ${String(folders)}. Add folders that tests do not need to .gitignore.`,
  )
  try {
    await using git = await startGit({ args: ['ls-tree', '-r', '-t', '-z', '--full-tree', name], gitDir, signal })
    git.stdin.end()
    for await (const records of nulRecords(git.stdout)) {
      for (const record of records) {
        const tab = record.indexOf('\t')
        const [mode = '', type = '', id = ''] = record.toString('latin1', 0, tab).split(' ')
        const path = record.subarray(tab + 1)
        requireShort(path)
        folders.add(path)
        count(type === 'tree' ? 'folder' : 'file', record.length - tab)
        yield { mode, type, id, path: pathText(path) }
      }
    }
    await git.succeed()
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    throw new RepositoryError('incomplete_pack', `Folders of ${name} are missing or damaged.`)
  }
}

/** @throws RepositoryError if no checkout can hold the path */
function requireShort(path: Buffer): void {
  const nameBytes = path.length - path.lastIndexOf(0x2f) - 1
  const [what, bytes, limit] =
    nameBytes > maxNameBytes ? ['name', nameBytes, maxNameBytes] : ['path', path.length, maxPathBytes]
  if (bytes <= limit) return
  const [shown, number] = [pathText(path.subarray(0, 60)), (count: number) => count.toLocaleString('en')]
  throw new RepositoryError(
    'invalid_pack',
    `The snapshot has a file or folder with a ${what} of ${number(bytes)} bytes, and a ${what} may have ${number(limit)}: ${shown}… Rename it, or add it to .gitignore.`,
  )
}

/** The second parent of a merge may be older than what the base's history reaches back to. */
async function hideMissingParents(
  { gitDir, signal }: Contents,
  ends: readonly (readonly [string, CommitLinks])[],
): Promise<void> {
  const links = ends.flatMap(([commit, { parents }]) => parents.map((parent) => ({ commit, parent })))
  const types = await objectTypes(
    { gitDir, signal },
    links.map(({ parent }) => parent),
  )
  const wrong = types.findIndex((type) => type !== undefined && type !== 'commit')
  if (wrong !== -1)
    throw invalidPack(`A commit of the pack has the ${types[wrong]} ${links[wrong]?.parent} as its parent.`)
  const hidden = links.filter((_link, index) => types[index] === undefined).map(({ commit }) => commit)
  if (hidden.length === 0) return
  const cuts = new Set([...(await readShallow(gitDir)), ...hidden])
  await writeFile(join(gitDir, 'shallow'), [...cuts].map((id) => `${id}\n`).join(''))
}

/** Lists the objects of the commits between the base and the checked-out one. Some of their files may be missing. */
async function listHistory({ gitDir, base, headSha, signal }: Contents): Promise<Set<string>> {
  const ids = new Set<string>()
  try {
    const args = ['rev-list', '--objects', '--no-object-names', '--missing=allow-any', '--stdin']
    await using git = await startGit({ args, gitDir, signal })
    git.stdin.end(`${headSha}\n${base ? `^${base.commitSha}\n` : ''}`)
    for await (const lines of lineRecords(git.stdout)) {
      for (const line of lines) ids.add(line.toString('latin1'))
    }
    await git.succeed()
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    throw invalidPack('The objects of the commits of the pack are damaged.')
  }
  return ids
}
