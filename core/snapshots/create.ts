import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CommitSnapshot } from '../../engines/source/commit.ts'
import { isThere } from '../../engines/source/files.ts'
import { type ReceivedSnapshot, receiveSnapshot } from '../../engines/source/receive-snapshot.ts'
import { defaultSnapshotLimits } from '../../engines/source/snapshot.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { type Context, inTransaction, requireUser, tokenIdOf } from '../base/context.ts'
import { AppError, conflict, invalid, invalidField, timeout } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { takeTurn } from '../http/take-turn.ts'
import { getOwnProject, lockOwnProject, type OwnProject } from '../projects/get.ts'
import { acceptBranch } from '../projects/repository.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'
import { withProjectCommit } from '../workspaces/project-commit.ts'
import { sourceLimits } from '../workspaces/source.ts'
import { snapshotDirectory } from './directories.ts'
import { SnapshotEntity, type SnapshotRow } from './entity.ts'
import { presentSnapshot } from './present.ts'
import { type ReceivedPack, storePack } from './receive-pack.ts'
import { requireRoomForSnapshot } from './room.ts'
import type { CreateSnapshot, Snapshot } from './schema.ts'

/** What a client says about its pack. */
export type Described = Pick<CreateSnapshot, 'baseSha' | 'headSha' | 'treeSha' | 'branch'>

/** Creates a snapshot from a pack in base64. */
export async function createSnapshot(ctx: Context, input: CreateSnapshot): Promise<Snapshot> {
  await requireRoom(ctx, input.projectId)
  await using pack = await storePack(ctx, [Buffer.from(input.pack, 'base64')])
  return (await keepSnapshot(ctx, input.projectId, input, pack, 'baseSha')).snapshot
}

/**
 * Checks before a pack is received whether the caller may create a snapshot.
 *
 * @throws AppError 403; 404; 409 if the project has no room
 */
export async function requireRoom(ctx: Context, projectId: string): Promise<void> {
  const { id } = await getOwnProject(ctx, projectId, 'member')
  await requireRoomForSnapshot(ctx, id)
}

/**
 * Makes a received pack a snapshot of the project. The same working tree on the same commit, sent again by the same user,
 * is the same snapshot.
 *
 * @param baseField - the name that the caller knows for the base
 * @returns whether the snapshot is new
 * @throws AppError 400 that says what is wrong with the pack
 */
export async function keepSnapshot(
  ctx: Context,
  projectId: string,
  described: Described,
  pack: ReceivedPack,
  baseField: 'base' | 'baseSha',
): Promise<{ added: boolean; snapshot: Snapshot }> {
  const branch = described.branch === undefined ? null : acceptBranch(described.branch)
  return takeTurn(ctx, 'unpacking', async (ctx) => {
    ctx.signal.throwIfAborted()
    const project = await getOwnProject(ctx, projectId, 'member')
    const directory = join(pack.folder, 'snapshot.git')
    const received = await unpack(ctx, project, described, { pack: pack.path, directory }, baseField)
    const { added, row } = await store(ctx, projectId, directory, {
      branch,
      baseSha: described.baseSha ?? null,
      headSha: described.headSha ?? null,
      treeSha: described.treeSha,
      commitSha: received.commitSha,
      files: received.files,
      bytes: received.bytes,
    })
    return { added, snapshot: presentSnapshot(row) }
  })
}

/** Checks the pack and makes a repository of it, with the snapshot's commit. */
async function unpack(
  ctx: Context,
  project: OwnProject,
  { baseSha, headSha, treeSha }: Described,
  files: { pack: string; directory: string },
  baseField: string,
): Promise<ReceivedSnapshot> {
  const receive = async (base: CommitSnapshot | null) => {
    const limits = defaultSnapshotLimits
    try {
      return await receiveSnapshot({ ...files, base, headSha: headSha ?? null, treeSha, limits, signal: ctx.signal })
    } catch (error) {
      throw ofPack(error)
    }
  }
  if (baseSha === undefined) return receive(null)
  const directory = join(cacheDirectory(ctx.config, project.id), 'source')
  const wanted = { directory, ref: { commitSha: baseSha }, limits: sourceLimits }
  try {
    return await withProjectCommit(ctx, project, wanted, receive)
  } catch (error) {
    throw ofBase(error, baseField)
  }
}

/** Describes what is wrong with a pack. Other errors stay as they are. */
function ofPack(error: unknown): unknown {
  if (!(error instanceof RepositoryError) || error.code === 'cancelled') return error
  if (error.code === 'too_large') return new AppError('PAYLOAD_TOO_LARGE', error.message, { cause: error })
  if (error.code === 'timeout') return timeout(error.message, { cause: error })
  return invalid(error.message, { cause: error })
}

function ofBase(error: unknown, field: string): unknown {
  if (!(error instanceof RepositoryError) || error.code === 'cancelled') return error
  if (error.code === 'timeout') return timeout(`${error.message} Send the pack again.`, { cause: error })
  if (error.code === 'commit_not_found') {
    return invalidField(field, `${error.message} Call snapshots.findBase for a commit that the server can fetch`, [
      'snapshots.findBase',
    ])
  }
  return conflict(`Assay cannot read the repository of the project: ${error.message}`, { cause: error })
}

/** Moves the files to their place and writes the row. A killed process leaves files without a row, not the opposite. */
function store(
  ctx: Context,
  projectId: string,
  directory: string,
  facts: Pick<SnapshotRow, 'branch' | 'baseSha' | 'headSha' | 'treeSha' | 'commitSha' | 'files' | 'bytes'>,
): Promise<{ added: boolean; row: SnapshotRow }> {
  const { userId } = requireUser(ctx)
  const withSecrets = mayReadEnvironment(ctx)
  let moved: string | undefined
  return inTransaction(ctx, async (tx) => {
    // The lock lets a concurrent upload of the same tree find the snapshot that the first one creates.
    await lockOwnProject(tx, projectId, 'member')
    const snapshots = tx.db.getRepository(SnapshotEntity)
    const known = await snapshots.findOneBy({ projectId, userId, commitSha: facts.commitSha })
    const now = tx.now()
    if (known) {
      const change = { lastUsedAt: now, withSecrets: known.withSecrets || withSecrets }
      await snapshots.update({ id: known.id }, change)
      const path = snapshotDirectory(tx.config, known)
      if (!(await isThere(path))) await move(directory, path)
      return { added: false, row: { ...known, ...change } }
    }
    await requireRoomForSnapshot(tx, projectId, facts.bytes)
    const times = { createdAt: now, lastUsedAt: now }
    const row = { ...facts, id: newId(now), projectId, userId, tokenId: tokenIdOf(tx), withSecrets, ...times }
    await snapshots.insert(row)
    moved = snapshotDirectory(tx.config, row)
    await move(directory, moved)
    return { added: true, row }
  }).catch(async (error: unknown) => {
    if (moved !== undefined) await rm(moved, { recursive: true, force: true })
    throw error
  })
}

/** Whoever may set the test command may also read the environment that the tests see. */
function mayReadEnvironment(ctx: Context): boolean {
  const caller = requireUser(ctx)
  return caller.kind === 'user' || caller.scopes.includes('projects:write')
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await rename(from, to)
}
