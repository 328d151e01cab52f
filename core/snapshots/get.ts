import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject, getOwnProject } from '../projects/get.ts'
import { SnapshotEntity, type SnapshotRow } from './entity.ts'
import { presentSnapshot } from './present.ts'
import type { ListSnapshots, Snapshot, SnapshotRef, SnapshotsPage } from './schema.ts'

export const noSuchSnapshot = () =>
  notFound(
    'snapshot',
    'It may have been deleted, which happens 7 days after its last use. Send the working tree again, or call snapshots.list for the snapshots of a project.',
    procedureHint('snapshots.list'),
  )

/** Answers the same for a snapshot of another tenant and for one that does not exist. */
export async function getOwnSnapshot(ctx: Context, id: string, minRole: Role): Promise<SnapshotRow> {
  const row = await ctx.db.getRepository(SnapshotEntity).findOneBy({ id })
  const project = row && (await findOwnProject(ctx, row.projectId))
  if (!project) throw noSuchSnapshot()
  requireRole(project.role, minRole)
  return row
}

export async function getSnapshot(ctx: Context, input: SnapshotRef): Promise<Snapshot> {
  return presentSnapshot(await getOwnSnapshot(ctx, input.snapshotId, 'viewer'))
}

/** Lists the snapshots of a project, newest first. */
export async function listSnapshots(ctx: Context, { limit, offset, ...input }: ListSnapshots): Promise<SnapshotsPage> {
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const [rows, total] = await ctx.db
    .getRepository(SnapshotEntity)
    .findAndCount({ where: { projectId }, order: { id: 'DESC' }, take: limit, skip: offset })
  return { snapshots: rows.map(presentSnapshot), pagination: { total, limit, offset } }
}
