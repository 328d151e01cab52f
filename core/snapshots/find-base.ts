import { join } from 'node:path'
import { findKnownCommit } from '../../engines/source/find-known-commit.ts'
import { defaultSnapshotLimits } from '../../engines/source/snapshot.ts'
import { defaultSourceLimits, RepositoryError } from '../../engines/source/types.ts'
import { type Context, requireUser } from '../base/context.ts'
import { conflict, timeout } from '../base/errors.ts'
import { type OwnProject, getOwnProject } from '../projects/get.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'
import { sourceLimits } from '../workspaces/source.ts'
import { askProjectRepository } from '../workspaces/project-commit.ts'
import { SnapshotEntity, type SnapshotRow } from './entity.ts'
import { presentSnapshot } from './present.ts'
import type { FindSnapshotBase, SnapshotBase } from './schema.ts'
import { useSnapshot } from './wanted-state.ts'

const { maxPackBytes, maxFiles } = defaultSnapshotLimits
const limits = {
  ...sourceLimits,
  historyCommits: defaultSourceLimits.historyCommits,
  fetchTimeoutMs: 30_000,
}

/**
 * Finds the first of a checkout's latest commits that the server can fetch, so that the client sends only what that
 * commit lacks. With `treeSha`, also finds the snapshot of this tree that the caller has sent before.
 */
export async function findSnapshotBase(ctx: Context, input: FindSnapshotBase): Promise<SnapshotBase> {
  const project = await getOwnProject(ctx, input.projectId, 'member')
  const { treeSha, commits } = input
  const [head = null] = commits
  const answer = { snapshot: null, maxPackBytes, maxFiles }
  if (treeSha !== undefined) {
    const onHead = await useKnown(ctx, project, { treeSha, headSha: head })
    if (onHead) return { ...answer, baseSha: onHead.baseSha, snapshot: presentSnapshot(onHead) }
  }
  const baseSha = await findBase(ctx, project, commits)
  const onBase = treeSha === undefined ? null : await useKnown(ctx, project, { treeSha, headSha: baseSha })
  return { ...answer, baseSha, snapshot: onBase && presentSnapshot(onBase) }
}

/** The tree alone does not decide: the parent of a snapshot is the commit that was checked out, or else its base. */
async function useKnown(
  ctx: Context,
  { id: projectId }: OwnProject,
  { treeSha, headSha }: { treeSha: string; headSha: string | null },
): Promise<SnapshotRow | null> {
  const { userId } = requireUser(ctx)
  const known = await ctx.db
    .getRepository(SnapshotEntity)
    .createQueryBuilder('snapshot')
    .where({ projectId, userId, treeSha })
    .andWhere('coalesce(snapshot.head_sha, snapshot.base_sha) IS NOT DISTINCT FROM :headSha', { headSha })
    .orderBy('snapshot.id', 'DESC')
    .limit(1)
    .getOne()
  return known && useSnapshot(ctx, projectId, known.id)
}

async function findBase(ctx: Context, project: OwnProject, commits: readonly string[]): Promise<string | null> {
  const directory = join(cacheDirectory(ctx.config, project.id), 'source')
  try {
    return await askProjectRepository(ctx, project, (source) =>
      findKnownCommit({ ...source, directory, commits, likely: [project.branch], limits, signal: ctx.signal }),
    )
  } catch (error) {
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    if (error.code === 'empty_repository' || error.code === 'branch_not_found') return null
    if (error.code === 'timeout') throw timeout(`${error.message} Repeat the call.`, { cause: error })
    throw conflict(`Assay cannot read the repository of the project: ${error.message}`, { cause: error })
  }
}
