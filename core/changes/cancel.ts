import { type Context, inTransaction } from '../base/context.ts'
import { ChangeEntity } from './entity.ts'
import { getOwnChange } from './get.ts'
import { presentChange } from './present.ts'
import type { Change, ChangeRef } from './schema.ts'
import { endChange } from './state.ts'

/** Cancels a queued or running verification of a change. Its processes end within seconds. One that has ended does not change. */
export async function cancelChange(ctx: Context, input: ChangeRef): Promise<Change> {
  const row = await getOwnChange(ctx, input.changeId, 'member')
  const after = await inTransaction(ctx, async (tx) => {
    const changes = tx.db.getRepository(ChangeEntity)
    // A worker may have started a newer attempt since the row was loaded.
    const latest = await changes.findOne({ where: { id: row.id }, lock: { mode: 'pessimistic_write' } })
    if (latest) await endChange(tx, latest, { status: 'cancelled' })
    return changes.findOneBy({ id: row.id })
  })
  return presentChange(after ?? row)
}
