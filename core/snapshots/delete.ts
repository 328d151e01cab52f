import { rm } from 'node:fs/promises'
import { type Context, inTransaction } from '../base/context.ts'
import { conflict } from '../base/errors.ts'
import { lockOwnProject } from '../projects/get.ts'
import { snapshotDirectory } from './directories.ts'
import { SnapshotEntity, type SnapshotRow } from './entity.ts'
import { getOwnSnapshot, noSuchSnapshot } from './get.ts'
import { isInUse } from './in-use.ts'
import { presentSnapshot } from './present.ts'
import type { Snapshot, SnapshotRef } from './schema.ts'

/** Deletes a snapshot with its files. Results of its runs stay. */
export async function deleteSnapshot(ctx: Context, input: SnapshotRef): Promise<Snapshot> {
  const { projectId, id } = await getOwnSnapshot(ctx, input.snapshotId, 'member')
  const row = await inTransaction(ctx, async (tx) => {
    await lockOwnProject(tx, projectId, 'member', 'KEY SHARE')
    const row = await tx.db
      .getRepository(SnapshotEntity)
      .findOne({ where: { id }, lock: { mode: 'pessimistic_write' } })
    if (!row) throw noSuchSnapshot()
    if (await isInUse(tx, id)) {
      throw conflict('Work on this snapshot is queued or running. Wait for its end, or cancel it.')
    }
    await tx.db.getRepository(SnapshotEntity).delete({ id })
    return row
  })
  await removeFiles(ctx, row)
  return presentSnapshot(row)
}

/** Deletes the files of a snapshot whose row is gone. The clean-up repeats what fails here. */
export async function removeFiles(
  { config, log }: Pick<Context, 'config' | 'log'>,
  row: Pick<SnapshotRow, 'id' | 'projectId'>,
): Promise<void> {
  await rm(snapshotDirectory(config, row), { recursive: true, force: true }).catch((error: unknown) =>
    log.warn({ err: error, snapshotId: row.id }, 'cannot delete the files of a snapshot'),
  )
}
