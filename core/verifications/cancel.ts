import { type Context, inTransaction } from '../base/context.ts'
import { VerificationEntity } from './entity.ts'
import { getOwnVerification } from './get.ts'
import { presentVerification } from './present.ts'
import type { Verification, VerificationRef } from './schema.ts'
import { endVerification } from './state.ts'

/** Ends a verification that waits or runs; one that has ended stays as it is. Its processes end within seconds. */
export async function cancelVerification(ctx: Context, input: VerificationRef): Promise<Verification> {
  const row = await getOwnVerification(ctx, input.verificationId, 'member')
  const after = await inTransaction(ctx, async (tx) => {
    const verifications = tx.db.getRepository(VerificationEntity)
    // Whoever works on it counts attempts up: the latest one is cancelled, not the one that was looked at.
    const latest = await verifications.findOne({ where: { id: row.id }, lock: { mode: 'pessimistic_write' } })
    if (latest) await endVerification(tx, latest, { status: 'cancelled' })
    return verifications.findOneBy({ id: row.id })
  })
  return presentVerification(after ?? row)
}
