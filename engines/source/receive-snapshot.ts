import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeBareRepository } from './bare-repository.ts'
import { withDeadline } from './errors.ts'
import { bytesBelow, discard, emptyTrash, removeIfEmpty, trashPrefix } from './files.ts'
import { GitError, runGit } from './git.ts'
import { lockDirectory } from './lock.ts'
import { checkPackFile, invalidPack } from './pack-file.ts'
import { readShallow } from './parents.ts'
import { indexPack, readIndexedPack } from './received-pack.ts'
import { type Base, checkSnapshotContents, objectsOf } from './snapshot-contents.ts'
import type { SnapshotLimits } from './snapshot.ts'
import { together } from './together.ts'
import { RepositoryError } from './types.ts'

export interface ReceiveSnapshotOptions {
  /** The path of the pack: any bytes. */
  pack: string
  /** The tree of the working tree. */
  treeSha: string
  /** The commit of the project's repository that has the objects that the pack lacks; opened. Null without one. */
  base: Base | null
  /** The commit that was checked out: the base, or a commit of the pack. Null if it is neither. */
  headSha: string | null
  /**
   * The repository to make, which must not exist. Its parent folder is for the snapshots of one project: calls for the
   * same one wait for each other, and delete what a stopped process left there.
   */
  directory: string
  limits: SnapshotLimits
  signal: AbortSignal
}

export interface ReceivedSnapshot {
  /** The same for the same tree on the same parent. */
  commitSha: string
  files: number
  /** Bytes on disk. */
  bytes: number
}

const timeoutMs = 180_000
const identity = { name: 'Assay', email: 'snapshots@assay.invalid' }
const message = 'Snapshot of a working tree'

/**
 * Checks a pack and keeps the working tree that it contains as a commit in a repository of its own, which needs the
 * base's objects to be read. Objects that the snapshot does not need are refused. A failure leaves nothing behind.
 *
 * @throws RepositoryError with the code `invalid_pack` for a pack that no git writes, `incomplete_pack` if objects are
 *   missing that neither pack nor base has, and `too_large` beyond a limit
 */
export async function receiveSnapshot(options: ReceiveSnapshotOptions): Promise<ReceivedSnapshot> {
  const { directory, limits } = options
  checkIds(options)
  const packBytes = await checkPackFile(options.pack, limits)
  const parent = dirname(directory)
  const bounds = { signal: options.signal, milliseconds: timeoutMs, what: 'Checking the snapshot' }
  await using stack = new AsyncDisposableStack()
  stack.defer(() => removeIfEmpty(parent))
  return await withDeadline(bounds, async (signal) => {
    stack.use(await lockDirectory(parent, signal))
    // With the lock, every unfinished folder is one of a process that was stopped.
    await emptyTrash(parent)
    const gitDir = join(parent, `${trashPrefix}receiving-${randomUUID()}`)
    stack.defer(() => discard(gitDir))
    const received = await receiveInto(gitDir, packBytes, options, signal).catch((error: unknown) => {
      if (!(error instanceof GitError) || /No space left on device/.test(error.stderr)) throw error
      throw invalidPack('The objects of the pack do not fit together.')
    })
    await rename(gitDir, directory)
    return received
  })
}

async function receiveInto(
  gitDir: string,
  packBytes: number,
  { pack, treeSha, base, headSha, limits }: ReceiveSnapshotOptions,
  signal: AbortSignal,
): Promise<ReceivedSnapshot> {
  const format = treeSha.length === 64 ? 'sha256' : 'sha1'
  const shallow = base ? await readShallow(base.gitDir) : []
  const objects = base ? [join(base.gitDir, 'objects')] : []
  await makeBareRepository(gitDir, format, { objects, shallow: lines(shallow) })
  const named = { treeSha, headSha, baseSha: base?.commitSha }
  const readPack = async (signal: AbortSignal) => {
    const index = await indexPack({ gitDir, pack: createReadStream(pack), limits, signal })
    return await readIndexedPack({ gitDir, index, packBytes, ...named, limits, signal })
  }
  const [indexed, baseObjects] = await together(signal, (both) => [readPack(both), objectsOf(base, both)])
  const contents = { gitDir, indexed, baseObjects, treeSha, base, headSha, limits, signal }
  const { files, ends } = await checkSnapshotContents(contents)
  const parent = headSha ?? base?.commitSha
  const commitSha = await commitTree(gitDir, treeSha, parent, signal)
  // By itself, the repository knows no commit before those of the pack.
  const isOnBase = parent !== undefined && parent === base?.commitSha
  await writeFile(join(gitDir, 'shallow'), lines(isOnBase ? [...ends, commitSha] : ends))
  await rm(join(gitDir, 'objects/info/alternates'), { force: true })
  return { commitSha, files, bytes: await bytesBelow(gitDir) }
}

function checkIds({ treeSha, base, headSha }: ReceiveSnapshotOptions): void {
  const isId = (id: string) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)
  const ids = [treeSha, ...(headSha === null ? [] : [headSha])]
  const length = base ? base.commitSha.length : treeSha.length
  if (!ids.every((id) => isId(id) && id.length === length)) {
    throw new RepositoryError(
      'invalid_pack',
      `A tree and a commit must be given as their full ids of ${length === 64 ? 64 : 40} hexadecimal digits.`,
    )
  }
  if (!base && headSha !== null) {
    throw new RepositoryError(
      'invalid_pack',
      'A snapshot without a base cannot have a checked-out commit, because its history is unknown to the server.',
    )
  }
}

/** Dated as its parent, so that what is recent in its history remains so. */
async function commitTree(gitDir: string, treeSha: string, parent: string | undefined, signal: AbortSignal) {
  const date = `@${parent === undefined ? 0 : await committedAt(gitDir, parent, signal)} +0000`
  const by = (who: string) => ({
    [`GIT_${who}_NAME`]: identity.name,
    [`GIT_${who}_EMAIL`]: identity.email,
    [`GIT_${who}_DATE`]: date,
  })
  const parents = parent === undefined ? [] : ['-p', parent]
  const args = ['commit-tree', '-m', message, ...parents, treeSha]
  return (await runGit({ args, gitDir, signal, environment: { ...by('AUTHOR'), ...by('COMMITTER') } })).trim()
}

/** The latest date that every version of git can write. */
const maxDate = 2 ** 32

async function committedAt(gitDir: string, commit: string, signal: AbortSignal): Promise<number> {
  const args = ['rev-list', '--no-walk', '--no-commit-header', '--format=%ct', commit]
  const seconds = Number(await runGit({ args, gitDir, signal }))
  return Number.isSafeInteger(seconds) && seconds >= 0 && seconds < maxDate ? seconds : 0
}

const lines = (ids: readonly string[]) => ids.map((id) => `${id}\n`).join('')
