import { type Context, inTransaction } from '../base/context.ts'
import { VerificationEntity } from './entity.ts'
import { getOwnVerification } from './get.ts'
import { presentVerification } from './present.ts'
import type { Verification, VerificationRef } from './schema.ts'
import { endVerification } from './state.ts'

/** Cancels a queued or running verification. Its processes end within seconds. One that has ended does not change. */
export async function cancelVerification(ctx: Context, input: VerificationRef): Promise<Verification> {
  const row = await getOwnVerification(ctx, input.verificationId, 'member')
  const after = await inTransaction(ctx, async (tx) => {
    const verifications = tx.db.getRepository(VerificationEntity)
    // A worker may have started a newer attempt since the row was loaded.
    const latest = await verifications.findOne({ where: { id: row.id }, lock: { mode: 'pessimistic_write' } })
    if (latest) await endVerification(tx, latest, { status: 'cancelled' })
    return verifications.findOneBy({ id: row.id })
  })
  return presentVerification(after ?? row)
}
