import type { DataSource } from 'typeorm'
import type { Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { loadEnvironment } from '../../projects/settings.ts'
import { judgedJob } from '../../verdicts/job.ts'
import type { FindExecutor } from '../../workspaces/find-executor.ts'
import { MeasurementEntity, type MeasurementRow } from '../entity.ts'
import { strengthQueue } from '../queue.ts'
import type { StrengthPhase } from '../schema.ts'
import { endMeasurement } from '../state.ts'
import { measureProject } from './measure-project.ts'

interface StrengthJob {
  measurementId: string
}

/** Takes measurements from the queue and runs them. */
export function strengthJob(
  services: Services,
  dataSource: DataSource,
  findExecutor: FindExecutor,
): JobKind<StrengthJob> {
  return judgedJob<StrengthJob, MeasurementRow, StrengthPhase>(services, dataSource, findExecutor, {
    noun: 'measurement',
    queue: strengthQueue,
    entity: MeasurementEntity,
    idOf: ({ measurementId }) => measurementId,
    loadSecrets: (ctx, { projectId }) => loadEnvironment(ctx, projectId),
    reachVerdict: measureProject,
    end: endMeasurement,
  })
}
