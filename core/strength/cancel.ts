import { cancelledEvidence } from '../../engines/strength/evidence.ts'
import { type Context, inTransaction } from '../base/context.ts'
import { getOwnMeasurement } from './get.ts'
import { presentMeasurement } from './present.ts'
import type { Measurement, MeasurementRef } from './schema.ts'
import { endMeasurement } from './state.ts'

/**
 * Cancels a queued or running measurement, which keeps what it has found. Its processes end within seconds. One that has
 * ended does not change.
 */
export async function cancelMeasurement(ctx: Context, { measurementId: id }: MeasurementRef): Promise<Measurement> {
  const { verdict, evidence } = await getOwnMeasurement(ctx, id, 'member')
  const end = { status: 'cancelled', verdict, evidence: evidence && cancelledEvidence(evidence) } as const
  const cancelled = await inTransaction(ctx, (tx) => endMeasurement(tx, { id }, end))
  return presentMeasurement(ctx, cancelled ?? (await getOwnMeasurement(ctx, id, 'member')))
}
