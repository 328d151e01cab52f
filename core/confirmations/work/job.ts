import type { DataSource } from 'typeorm'
import type { Context, Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { loadEnvironment } from '../../projects/settings.ts'
import { requestTestHealth } from '../../test-runs/request-health.ts'
import { judgedJob } from '../../verdicts/job.ts'
import { endRecord, type JudgedEnd } from '../../verdicts/state.ts'
import type { FindExecutor } from '../../workspaces/find-executor.ts'
import { confirmationQueue } from '../confirm.ts'
import { ConfirmationEntity, type ConfirmationRow } from '../entity.ts'
import type { ConfirmationPhase } from '../schema.ts'
import { reachVerdict } from './reach-verdict.ts'

interface ConfirmationJob {
  confirmationId: string
}

/** Takes confirmations from the queue and repeats their tests. */
export function confirmationJob(
  services: Services,
  dataSource: DataSource,
  findExecutor: FindExecutor,
): JobKind<ConfirmationJob> {
  return judgedJob<ConfirmationJob, ConfirmationRow, ConfirmationPhase>(services, dataSource, findExecutor, {
    noun: 'confirmation',
    queue: confirmationQueue,
    entity: ConfirmationEntity,
    idOf: ({ confirmationId }) => confirmationId,
    loadSecrets: (ctx, { projectId }) => loadEnvironment(ctx, projectId),
    reachVerdict,
    end: endConfirmation,
  })
}

/** Ends a confirmation. A test whose fix the project's branch contains is judged anew. */
async function endConfirmation(
  tx: Context,
  record: { id: string; attempt?: number },
  end: JudgedEnd<ConfirmationRow>,
): Promise<void> {
  const ended = await endRecord(tx, ConfirmationEntity, record, end)
  if (ended?.verdict !== 'confirmed') return
  await requestTestHealth(tx, ended.projectId, ended.testId)
}
