import { join } from 'node:path'
import { type StoredObjects, findStoredObjects } from '../../engines/source/stored-files.ts'
import { resolveRemoteCommit } from '../../engines/source/remote.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { parseRepositoryUrl } from '../../engines/source/url.ts'
import type { Context } from '../base/context.ts'
import { conflict, notFound } from '../base/errors.ts'
import { accessToRepository } from '../code-host/repository-access.ts'
import { takeTurn } from '../http/take-turn.ts'
import type { OwnProject } from '../projects/get.ts'
import { mayReadLocally } from '../projects/local-repositories.ts'
import { noSuchSnapshot } from '../snapshots/get.ts'
import { storedSnapshot } from '../snapshots/stored-snapshot.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'
import { askProjectRepository, withProjectCommit } from '../workspaces/project-commit.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import { sourceLimits, type StoredSnapshot } from '../workspaces/source.ts'

/** A commit of a project, or a snapshot. */
export interface CodeState {
  commitSha: string
  snapshotId: string | null
}

const lookupTimeout = 15_000
const fetchTimeout = 60_000

/**
 * Reads from the objects of a commit. The server of the repository must let the project read it: a user who has lost access
 * must not get the source that is stored here. Fetches the commit only if `read` returns undefined, since it is not stored.
 *
 * @param known - returns the answer if this process knows it
 * @throws AppError 409 if the source cannot be read, with advice; 404 for an unknown commit and for a deleted snapshot
 */
export async function readSource<T>(
  ctx: Context,
  project: OwnProject,
  state: CodeState,
  read: (stored: StoredObjects) => Promise<T | undefined>,
  known: () => T | undefined = () => undefined,
): Promise<T> {
  try {
    const snapshot = await storedSnapshot(ctx, project, state)
    // A snapshot without a base has nothing of the repository.
    if (snapshot?.source.baseSha !== null) await requireReadable(ctx, project)
    const found = known() ?? (await readStored(ctx, project, state, snapshot, read))
    if (found !== undefined) return found
    return await takeTurn(ctx, 'checkout', (ctx) => readFetched(ctx, project, state, snapshot, read))
  } catch (error) {
    throw explained(error)
  }
}

/** Asks the server at most once a minute, because a page of a file is no more than a few milliseconds of work. */
async function requireReadable(ctx: Context, project: OwnProject): Promise<void> {
  const allowLocal = await mayReadLocally(ctx, project)
  if (parseRepositoryUrl(project.repository, { allowLocal }).kind === 'local') return
  const access = await accessToRepository(ctx, project)
  const question = [project.id, project.repository, access?.credential?.password]
  if (ctx.code.readable.isKnown(question)) return
  await askProjectRepository(ctx, project, (source) =>
    resolveRemoteCommit({ ...source, ref: {}, signal: ctx.signal, timeoutMs: lookupTimeout }),
  ).catch((error: unknown) => {
    // The server has answered: the repository has no default branch.
    if (!(error instanceof RepositoryError) || !emptyCodes.has(error.code)) throw error
  })
  ctx.code.readable.remember(question)
}

const emptyCodes = new Set(['branch_not_found', 'empty_repository'])

async function readStored<T>(
  ctx: Context,
  project: OwnProject,
  { commitSha }: CodeState,
  snapshot: StoredSnapshot | undefined,
  read: (stored: StoredObjects) => Promise<T | undefined>,
): Promise<T | undefined> {
  const directory = cacheDirectory(ctx.config, project.id)
  const stored = await findStoredObjects({
    directory: join(directory, 'view'),
    clones: [sourceClone(directory), directory],
    repository: { url: project.repository, allowLocal: await mayReadLocally(ctx, project) },
    snapshotDir: snapshot?.source.gitDir,
    commitSha,
    signal: ctx.signal,
  })
  return read(stored)
}

/** The clone that runs and verifications share, which has all files. That of analyses lacks files of more than 1 MiB. */
const sourceClone = (directory: string) => join(directory, 'source')

async function readFetched<T>(
  ctx: Context,
  project: OwnProject,
  { commitSha }: CodeState,
  snapshot: StoredSnapshot | undefined,
  read: (stored: StoredObjects) => Promise<T | undefined>,
): Promise<T> {
  const wanted = {
    directory: sourceClone(cacheDirectory(ctx.config, project.id)),
    ref: { commitSha },
    limits: { ...sourceLimits, fetchTimeoutMs: fetchTimeout },
    ...(snapshot && { snapshot: snapshot.source }),
  }
  const found = await withProjectCommit(ctx, project, wanted, ({ gitDir }) => read({ gitDir, objects: [] }))
  if (found === undefined) throw conflict('The repository lacks a part of the commit. Push the commit again.')
  return found
}

function explained(error: unknown): unknown {
  if (error instanceof RunFailure && error.code === 'snapshot_deleted') return noSuchSnapshot()
  if (!(error instanceof RepositoryError) || error.code === 'cancelled') return error
  if (error.code === 'commit_not_found') return notFound('commit', error.message)
  return conflict(`Assay cannot read the source: ${error.message}`, { cause: error })
}
