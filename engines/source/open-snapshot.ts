import { join } from 'node:path'
import { makeBareRepository } from './bare-repository.ts'
import { isLikeCommit, parseBaseReference } from './base-reference.ts'
import { type ClonePart, discardPart, gitDirOf } from './clone.ts'
import type { HistorySource, OpenedCommit } from './fetch-commit.ts'
import { isThere } from './files.ts'
import { GitError } from './git.ts'
import { commitOf, mergeBase } from './local.ts'
import { objectTypes, readCommits, readShallow } from './parents.ts'
import type { CommitRef } from './reference.ts'
import type { SnapshotSource } from './snapshot.ts'
import { RepositoryError } from './types.ts'

export const baseRef = ({ baseSha }: SnapshotSource): CommitRef => (baseSha === null ? {} : { commitSha: baseSha })

/**
 * Opens a snapshot and its base as one commit: in a repository that has the objects of both. Without a base, nothing of
 * the project's repository is opened. The directory must be locked.
 */
export async function openSnapshot(
  snapshot: SnapshotSource,
  directory: string,
  openBase: () => Promise<OpenedCommit>,
  signal: AbortSignal,
): Promise<OpenedCommit> {
  if (!(await isThere(join(snapshot.gitDir, 'HEAD')))) {
    throw new RepositoryError(
      'commit_not_found',
      'The files of the snapshot were deleted. Create a new snapshot of the working tree.',
    )
  }
  const base = snapshot.baseSha === null ? undefined : await openBase().catch(explainMissing(snapshot.baseSha))
  try {
    return await openOnTop(snapshot, directory, base, signal)
  } catch (error) {
    await base?.close(false)
    if (!(error instanceof GitError)) throw error
    throw new RepositoryError(
      'commit_not_found',
      'The files of the snapshot are damaged. Create a new snapshot of the working tree.',
    )
  }
}

async function openOnTop(
  { gitDir: snapshotDir, commitSha }: SnapshotSource,
  directory: string,
  base: OpenedCommit | undefined,
  signal: AbortSignal,
): Promise<OpenedCommit> {
  const parts: ClonePart[] = ['snapshot', 'snapshotHistory']
  for (const part of parts) await discardPart(directory, part)
  const combine = (part: ClonePart, below: string | undefined, signal: AbortSignal) =>
    combineRepositories(gitDirOf(directory, part), { snapshotDir, commitSha, below }, signal)
  const { gitDir, parent } = await combine('snapshot', base?.gitDir, signal)
  const closed = new AbortController()
  const history = historyOf(base, async (below) =>
    below === base?.gitDir ? gitDir : (await combine('snapshotHistory', below, closed.signal)).gitDir,
  )
  // The failure reaches callers that read the history. Without this it would be unhandled where none does.
  history.catch(() => undefined)
  const ownObjects = join(snapshotDir, 'objects')
  return {
    gitDir,
    commitSha,
    branch: undefined,
    filtered: base?.filtered ?? false,
    history,
    countedFrom: parent ?? commitSha,
    earlier: async (earlierSha, signal) => {
      // A commit of the pack, or the base.
      if ((await commitOf(gitDir, earlierSha, signal)) === earlierSha) return { gitDir, objects: [] }
      if (!base)
        throw new RepositoryError('commit_not_found', `The snapshot does not contain the commit ${earlierSha}.`)
      const { gitDir: earlierDir, objects } = await base.earlier(earlierSha, signal)
      return { gitDir: earlierDir, objects: [...objects, ownObjects] }
    },
    mergeBase: async (text, signal) => {
      const { name, suffix } = parseBaseReference(text)
      // To a user, HEAD is the commit that was checked out.
      if (name === 'HEAD' && suffix === '' && parent !== undefined) return parent
      const own = name === 'HEAD' ? parent : isWholeId(name) ? name : undefined
      const known =
        own === undefined ? undefined : await commonWith(await history, `${own}${suffix}`, commitSha, signal)
      if (known !== undefined || !base || name === 'HEAD') return known
      return base.mergeBase(text, signal, { commitSha, history })
    },
    defaultBranch: async (signal) => base?.defaultBranch(signal),
    isOnBranch: async () => false,
    async close(damaged) {
      closed.abort()
      await base?.close(damaged)
      await history.catch(() => undefined)
      for (const part of parts) await discardPart(directory, part)
    },
  }
}

async function historyOf(
  base: OpenedCommit | undefined,
  combine: (gitDir: string) => Promise<string>,
): Promise<HistorySource> {
  if (!base) return { unknown: 'the snapshot has no commit in common with the repository.' }
  const below = await base.history
  return 'unknown' in below ? below : { gitDir: await combine(below.gitDir) }
}

/**
 * Makes a repository with the objects of the snapshot and of another repository, and the history that both know.
 *
 * @returns also the parent of the snapshot's commit, if the repository has it
 */
async function combineRepositories(
  gitDir: string,
  { snapshotDir, commitSha, below }: { snapshotDir: string; commitSha: string; below: string | undefined },
  signal: AbortSignal,
): Promise<{ gitDir: string; parent: string | undefined }> {
  const objects = [snapshotDir, ...(below === undefined ? [] : [below])].map((dir) => join(dir, 'objects'))
  const format = commitSha.length === 64 ? 'sha256' : 'sha1'
  await makeBareRepository(gitDir, format, { objects, shallow: undefined })
  const ends = await readShallow(snapshotDir)
  const commits = await readCommits({ gitDir, signal }, [...new Set([...ends, commitSha])])
  const links = ends.flatMap((commit) => commits.get(commit)?.parents.map((parent) => ({ commit, parent })) ?? [])
  const types = await objectTypes(
    { gitDir, signal },
    links.map(({ parent }) => parent),
  )
  const withoutParents = new Set(links.filter((_link, index) => types[index] !== 'commit').map(({ commit }) => commit))
  const cuts = [...(below === undefined ? [] : await readShallow(below)), ...withoutParents]
  await makeBareRepository(gitDir, format, { objects, shallow: cuts.map((commit) => `${commit}\n`).join('') })
  return { gitDir, parent: withoutParents.has(commitSha) ? undefined : commits.get(commitSha)?.parents[0] }
}

async function commonWith(
  history: HistorySource,
  name: string,
  commitSha: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if ('unknown' in history) return undefined
  const found = await commitOf(history.gitDir, name, signal)
  return found === undefined ? undefined : mergeBase(history.gitDir, found, commitSha, signal)
}

const isWholeId = (name: string) => isLikeCommit(name) && (name.length === 40 || name.length === 64)

const explainMissing = (baseSha: string) => (error: unknown) => {
  if (!(error instanceof RepositoryError) || error.code !== 'commit_not_found') throw error
  throw new RepositoryError(
    'commit_not_found',
    `The repository no longer has the commit ${baseSha}, on which the snapshot builds. ` +
      'Create a new snapshot of the working tree.',
  )
}
