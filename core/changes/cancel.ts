import { type Context, inTransaction } from '../base/context.ts'
import { getOwnChange } from './get.ts'
import { presentChange } from './present.ts'
import type { Change, ChangeRef } from './schema.ts'
import { endChange } from './state.ts'

/** Cancels a queued or running verification of a change. Its processes end within seconds. One that has ended does not change. */
export async function cancelChange(ctx: Context, { changeId: id }: ChangeRef): Promise<Change> {
  await getOwnChange(ctx, id, 'member')
  const cancelled = await inTransaction(ctx, (tx) => endChange(tx, { id }, { status: 'cancelled' }))
  return presentChange(ctx, cancelled ?? (await getOwnChange(ctx, id, 'member')))
}
