import { type Context, inTransaction } from '../base/context.ts'
import { getOwnVerification } from './get.ts'
import { presentVerification } from './present.ts'
import type { Verification, VerificationRef } from './schema.ts'
import { endVerification } from './state.ts'

/** Cancels a queued or running verification. Its processes end within seconds. One that has ended does not change. */
export async function cancelVerification(ctx: Context, { verificationId: id }: VerificationRef): Promise<Verification> {
  await getOwnVerification(ctx, id, 'member')
  const cancelled = await inTransaction(ctx, (tx) => endVerification(tx, { id }, { status: 'cancelled' }))
  return presentVerification(ctx, cancelled ?? (await getOwnVerification(ctx, id, 'member')))
}
