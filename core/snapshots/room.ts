import type { Context } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'

/**
 * Limits the number and the size of a project's snapshots.
 *
 * @param more - the bytes that are added
 * @throws AppError 409
 */
export async function requireRoomForSnapshot(
  { db, config }: Pick<Context, 'db' | 'config'>,
  projectId: string,
  more = 0,
): Promise<void> {
  const [{ count, bytes }] = await db.query<[{ count: number; bytes: string }]>(
    'SELECT count(*)::int AS count, coalesce(sum(bytes), 0)::text AS bytes FROM snapshots WHERE project_id = $1',
    [projectId],
  )
  const { maxPerProject, maxBytesOfProject } = config.snapshots
  const advice = 'Delete some with snapshots.delete. Assay deletes a snapshot 7 days after its last use.'
  if (count >= maxPerProject) {
    throw conflict(
      `This project has ${count.toLocaleString('en')} snapshots, which is the maximum. ${advice}`,
      procedureHint('snapshots.delete'),
    )
  }
  if (Number(bytes) + more > maxBytesOfProject) {
    const [used, limit] = [Number(bytes), maxBytesOfProject].map((value) => (value / 2 ** 20).toFixed(1))
    throw conflict(
      `The snapshots of this project take ${used} MiB of disk space, and may take ${limit} MiB. ${advice}`,
      procedureHint('snapshots.delete'),
    )
  }
}
