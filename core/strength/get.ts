import type { FindOptionsWhere } from 'typeorm'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { endingRecords, waitForEnd } from '../jobs/wait-for-end.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject, getOwnProject } from '../projects/get.ts'
import { hasEnded } from '../verdicts/record.ts'
import { MeasurementEntity, type MeasurementRow } from './entity.ts'
import { presentMeasurement, presentSummary } from './present.ts'
import type { GetMeasurement, ListMeasurements, Measurement, MeasurementsPage } from './schema.ts'

const unended = endingRecords('strength_measurements', ['pending', 'running'])

/** Answers the same for a measurement of another user and for one that does not exist. */
export async function getOwnMeasurement(ctx: Context, id: string, minRole: Role): Promise<MeasurementRow> {
  const row = await ctx.db.getRepository(MeasurementEntity).findOneBy({ id })
  const project = row && (await findOwnProject(ctx, row.projectId))
  if (!project) {
    const hint = 'strength.list lists the measurements of a project.'
    throw notFound('measurement', hint, procedureHint('strength.list'))
  }
  requireRole(project.role, minRole)
  return row
}

/** Returns a measurement with what is known so far. With `waitSeconds`, waits for its end. */
export async function getMeasurement(ctx: Context, input: GetMeasurement): Promise<Measurement> {
  const { id } = await getOwnMeasurement(ctx, input.measurementId, 'viewer')
  const load = async () => {
    const row = await ctx.db.getRepository(MeasurementEntity).findOneBy({ id })
    if (!row) throw notFound('measurement')
    return row
  }
  const milliseconds = input.waitSeconds * 1_000
  return presentMeasurement(await waitForEnd(ctx, { records: unended, hasEnded, id, milliseconds, load }))
}

/** Lists the measurements of a project without their evidence, newest first. */
export async function listMeasurements(ctx: Context, input: ListMeasurements): Promise<MeasurementsPage> {
  const { limit, offset, status } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const where: FindOptionsWhere<MeasurementRow> = {
    projectId: project.id,
    ...(status === undefined ? {} : { status }),
  }
  const [rows, total] = await ctx.db
    .getRepository(MeasurementEntity)
    .findAndCount({ where, order: { id: 'DESC' }, take: limit, skip: offset })
  return { measurements: rows.map(presentSummary), pagination: { total, limit, offset } }
}
