import type { Context } from '../base/context.ts'
import { emit } from '../events/emit.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { endRecord, type JudgedEnd } from '../verdicts/state.ts'
import { MeasurementEntity, type MeasurementRow } from './entity.ts'

export type MeasurementEnd = JudgedEnd<MeasurementRow>

/** Ends a measurement, and announces what it found unless it was cancelled: see `endRecord`. */
export async function endMeasurement(
  tx: Context,
  measurement: { id: string; attempt?: number },
  end: MeasurementEnd,
): Promise<MeasurementRow | undefined> {
  const ended = await endRecord(tx, MeasurementEntity, measurement, end)
  if (ended?.status === 'completed') await announce(tx, ended)
  return ended
}

async function announce(tx: Context, measurement: MeasurementRow): Promise<void> {
  const { verdict, evidence, completedAt } = measurement
  if (verdict === null || evidence === null || completedAt === null) return
  const project = await tx.db.getRepository(ProjectEntity).findOneBy({ id: measurement.projectId })
  if (!project) return
  const { reason, summary, strength, reached, tried, noticed, survived } = evidence
  await emit(tx, {
    type: 'strength.measured',
    project,
    data: {
      id: measurement.id,
      projectId: project.id,
      branch: measurement.branch,
      commitSha: measurement.commitSha,
      snapshotId: measurement.snapshotId,
      paths: measurement.paths,
      since: measurement.since,
      verdict,
      reason,
      summary,
      strength,
      reached,
      tried,
      noticed,
      survived,
      createdAt: measurement.createdAt.toISOString(),
      completedAt: completedAt.toISOString(),
    },
  })
}
