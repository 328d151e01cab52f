import { parseBaseReference } from '../../engines/source/base-reference.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { invalidField } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { lockOwnProject, type OwnProject } from '../projects/get.ts'
import { ownerOf } from '../projects/owner.ts'
import { wantedState } from '../snapshots/wanted-state.ts'
import { pending } from '../verdicts/record.ts'
import { MeasurementEntity, type MeasurementRow } from './entity.ts'
import { presentMeasurement } from './present.ts'
import { requireRoomForMeasurement, strengthQueue } from './queue.ts'
import type { MeasureStrength, Measurement } from './schema.ts'

/** Starts a measurement and returns its record. */
export function measureStrength(ctx: Context, input: MeasureStrength): Promise<Measurement> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    const row = await newMeasurement(tx, project, input)
    await requireRoomForMeasurement(tx, project)
    await tx.db.getRepository(MeasurementEntity).insert(row)
    await tx.jobs.enqueue(tx.db, strengthQueue, { measurementId: row.id }, { group: ownerOf(project) })
    return presentMeasurement(row)
  })
}

async function newMeasurement(ctx: Context, project: OwnProject, input: MeasureStrength): Promise<MeasurementRow> {
  const { paths = [], since = null, budgetSeconds, again } = input
  if (since !== null) requireReference(since)
  return {
    ...pending,
    ...(await wantedState(ctx, project, input)),
    id: newId(ctx.now()),
    projectId: project.id,
    userId: requireUser(ctx).userId,
    paths,
    since,
    budgetSeconds,
    again,
    createdAt: ctx.now(),
  }
}

function requireReference(since: string): void {
  try {
    parseBaseReference(since)
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error
    throw invalidField('since', 'must be the name of a branch, a tag or a commit, such as main or HEAD~1')
  }
}
