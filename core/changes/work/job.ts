import type { DataSource } from 'typeorm'
import type { Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { loadEnvironment } from '../../projects/settings.ts'
import { judgedJob } from '../../verdicts/job.ts'
import type { FindExecutor } from '../../workspaces/find-executor.ts'
import { ChangeEntity, type ChangeRow } from '../entity.ts'
import { changeQueue } from '../queue.ts'
import type { ChangePhase } from '../schema.ts'
import { endChange } from '../state.ts'
import { reachVerdict } from './reach-verdict.ts'

interface ChangeJob {
  changeId: string
}

/** Takes changes from the queue and reaches their verdicts. */
export function changeJob(services: Services, dataSource: DataSource, findExecutor: FindExecutor): JobKind<ChangeJob> {
  return judgedJob<ChangeJob, ChangeRow, ChangePhase>(services, dataSource, findExecutor, {
    noun: 'change',
    queue: changeQueue,
    entity: ChangeEntity,
    idOf: ({ changeId }) => changeId,
    loadSecrets: (ctx, { projectId }) => loadEnvironment(ctx, projectId),
    reachVerdict,
    end: endChange,
  })
}
