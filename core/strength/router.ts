import { procedure, router } from '../http/trpc.ts'
import { cancelMeasurement } from './cancel.ts'
import { getMeasurement, listMeasurements } from './get.ts'
import { measureStrength } from './measure.ts'
import {
  GetMeasurement,
  ListMeasurements,
  Measurement,
  MeasurementRef,
  MeasurementsPage,
  MeasureStrength,
} from './schema.ts'

export const strengthRouter = router({
  measure: procedure
    .input(MeasureStrength)
    .output(Measurement)
    .mutation(({ ctx, input }) => measureStrength(ctx, input)),
  get: procedure
    .input(GetMeasurement)
    .output(Measurement)
    .query(({ ctx, input }) => getMeasurement(ctx, input)),
  list: procedure
    .input(ListMeasurements)
    .output(MeasurementsPage)
    .query(({ ctx, input }) => listMeasurements(ctx, input)),
  cancel: procedure
    .input(MeasurementRef)
    .output(Measurement)
    .mutation(({ ctx, input }) => cancelMeasurement(ctx, input)),
})
