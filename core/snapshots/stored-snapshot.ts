import type { Context } from '../base/context.ts'
import { MembershipEntity } from '../identity/organizations/entity.ts'
import { isAtLeast } from '../identity/organizations/roles.ts'
import { mayReadLocally } from '../projects/local-repositories.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import type { StoredSnapshot } from '../workspaces/source.ts'
import { snapshotDirectory } from './directories.ts'
import type { SnapshotRow } from './entity.ts'
import { useSnapshot } from './wanted-state.ts'

type Project = Omit<ProjectRow, 'settings'>

/**
 * Returns the snapshot that a record is about, for work on it; undefined if the record is about a commit of the
 * repository. The snapshot counts as used.
 *
 * @throws RunFailure if the snapshot was deleted
 */
export async function storedSnapshot(
  ctx: Pick<Context, 'db' | 'now' | 'config'>,
  project: Project,
  { snapshotId }: { snapshotId: string | null },
): Promise<StoredSnapshot | undefined> {
  if (snapshotId === null) return undefined
  const row = await useSnapshot(ctx, project.id, snapshotId)
  if (!row)
    throw new RunFailure('snapshot_deleted', `The snapshot ${snapshotId} was deleted. Send the working tree again.`)
  const { commitSha, baseSha } = row
  return {
    source: { gitDir: snapshotDirectory(ctx.config, row), commitSha, baseSha },
    whyUntrusted: await whyUntrusted(ctx, project, row),
    senderId: row.userId,
  }
}

/**
 * Returns why a snapshot must not see the project's environment; null if it may. Its code is whatever its sender likes,
 * so the sender must be somebody who may set the test command, which can read the environment, too.
 */
async function whyUntrusted(
  ctx: Pick<Context, 'db' | 'config'>,
  project: Project,
  { userId, withSecrets }: Pick<SnapshotRow, 'userId' | 'withSecrets'>,
): Promise<string | null> {
  // Clients and repository are on the same machine, so that a snapshot is no more than a commit of the repository.
  if (ctx.config.localRepositories === 'owner' && (await mayReadLocally(ctx, project))) return null
  const unseen = "so the tests ran without the project's environment."
  if (!(await isAdmin(ctx, project, userId))) {
    return `The sender of the snapshot is not an admin or owner of the project, ${unseen}`
  }
  if (!withSecrets) return `The snapshot was sent with a token without the scope projects:write, ${unseen}`
  return null
}

async function isAdmin(
  { db }: Pick<Context, 'db'>,
  { organizationId, userId: owner }: Project,
  userId: string,
): Promise<boolean> {
  if (organizationId === null) return userId === owner
  const membership = await db.getRepository(MembershipEntity).findOneBy({ organizationId, userId })
  return membership !== null && isAtLeast(membership.role, 'admin')
}
