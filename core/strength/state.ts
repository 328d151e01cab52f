import type { Context } from '../base/context.ts'
import { endRecord, type JudgedEnd } from '../verdicts/state.ts'
import { MeasurementEntity, type MeasurementRow } from './entity.ts'

export type MeasurementEnd = JudgedEnd<MeasurementRow>

/** Ends a measurement: see `endRecord`. */
export const endMeasurement = (tx: Context, measurement: { id: string; attempt?: number }, end: MeasurementEnd) =>
  endRecord(tx, MeasurementEntity, measurement, end)
