import type { Context } from '../base/context.ts'
import { invalid } from '../base/errors.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { acceptBranch } from '../projects/repository.ts'
import { SnapshotEntity } from './entity.ts'
import { noSuchSnapshot } from './get.ts'

/** The state of a project that a call is about, as records store it. */
export interface WantedState {
  branch: string | null
  /** Null for the latest commit of the branch. */
  commitSha: string | null
  snapshotId: string | null
}

/** What callers send: at most a branch and a commit, or a snapshot. */
export interface StateInput {
  branch?: string | undefined
  commitSha?: string | undefined
  snapshotId?: string | undefined
}

/**
 * Returns the state that the input of a call names: a snapshot, a commit, a branch, or else the branch of the project. A
 * snapshot counts as used. The caller of the operation has access to the project.
 *
 * @throws AppError 400 for a snapshot together with a branch or commit; 404 for a snapshot of another project
 */
export async function wantedState(
  ctx: Pick<Context, 'db' | 'now'>,
  project: Pick<ProjectRow, 'id' | 'branch'>,
  { branch, commitSha, snapshotId }: StateInput,
): Promise<WantedState> {
  if (snapshotId === undefined) {
    const named = branch === undefined ? (commitSha ? null : project.branch) : acceptBranch(branch)
    return { branch: named, commitSha: commitSha ?? null, snapshotId: null }
  }
  if (branch !== undefined || commitSha !== undefined) {
    throw invalid(
      'snapshotId: cannot be combined with branch or commitSha, because a snapshot has a commit of its own. Omit them.',
    )
  }
  const snapshot = await useSnapshot(ctx, project.id, snapshotId)
  if (!snapshot) throw noSuchSnapshot()
  return { branch: null, commitSha: snapshot.commitSha, snapshotId }
}

/** Loads a snapshot of the project and records its use. Returns null if the project has no such snapshot. */
export async function useSnapshot({ db, now }: Pick<Context, 'db' | 'now'>, projectId: string, id: string) {
  const snapshots = db.getRepository(SnapshotEntity)
  const { affected } = await snapshots.update({ id, projectId }, { lastUsedAt: now() })
  return affected === 0 ? null : await snapshots.findOneBy({ id, projectId })
}
