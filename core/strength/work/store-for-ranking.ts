import type { MeasuredFile } from '../../../engines/strength/file-strength.ts'
import { requestRanking } from '../../analysis/rank-anew.ts'
import { type Context, inRepeatedTransaction } from '../../base/context.ts'
import { withRetry } from '../../base/retry.ts'
import { storeFileStrength } from '../../coverage/strength.ts'
import type { MeasurementRow } from '../entity.ts'

/** Stores what the ranking of analyses uses, and has the latest one ranked anew. */
export async function storeForRanking(
  ctx: Context,
  { projectId, snapshotId }: Pick<MeasurementRow, 'projectId' | 'snapshotId'>,
  files: readonly MeasuredFile[],
): Promise<void> {
  if (files.length === 0) return
  const store = async (tx: Context) => {
    // All transactions lock the project first.
    const rows = await tx.db.query<unknown[]>('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [projectId])
    if (rows.length === 0) return
    await storeFileStrength(tx, { projectId, snapshotId, files })
    await requestRanking(tx, projectId, snapshotId)
  }
  await withRetry(() => inRepeatedTransaction(ctx, store))
}
