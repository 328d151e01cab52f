import type { DataSource } from 'typeorm'
import type { Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { loadEnvironment } from '../../projects/settings.ts'
import { judgedJob } from '../../verdicts/job.ts'
import type { FindExecutor } from '../../workspaces/find-executor.ts'
import { VerificationEntity, type VerificationRow } from '../entity.ts'
import { verificationQueue } from '../queue.ts'
import type { VerificationPhase } from '../schema.ts'
import { endVerification } from '../state.ts'
import { reachVerdict } from './reach-verdict.ts'

interface VerificationJob {
  verificationId: string
}

/** Takes verifications from the queue and reaches their verdicts. */
export function verificationJob(
  services: Services,
  dataSource: DataSource,
  findExecutor: FindExecutor,
): JobKind<VerificationJob> {
  return judgedJob<VerificationJob, VerificationRow, VerificationPhase>(services, dataSource, findExecutor, {
    noun: 'verification',
    queue: verificationQueue,
    entity: VerificationEntity,
    idOf: ({ verificationId }) => verificationId,
    loadSecrets: async (ctx, { projectId, withSecrets }) => (withSecrets ? loadEnvironment(ctx, projectId) : {}),
    reachVerdict,
    end: endVerification,
  })
}
