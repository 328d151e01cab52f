import type { DataSource } from 'typeorm'
import { type Context, inTransaction, type Services } from '../../base/context.ts'
import { withRetry } from '../../base/retry.ts'
import { isLostProcess } from '../../base/engines.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { type Attempt, recordJob } from '../../jobs/record-job.ts'
import { loadEnvironment } from '../../projects/settings.ts'
import type { FindExecutor } from '../../workspaces/find-executor.ts'
import { removeTree } from '../../workspaces/directories.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { maskOf } from '../../workspaces/mask.ts'
import { verificationDirectory } from './directories.ts'
import { VerificationEntity, type VerificationRow } from '../entity.ts'
import type { Report } from '../proof/task.ts'
import { verificationQueue } from '../queue.ts'
import type { VerificationProgress } from '../schema.ts'
import { beginVerification, endVerification, type VerificationEnd } from '../state.ts'
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
  return recordJob<VerificationJob, VerificationProgress>(services, dataSource, {
    noun: 'verification',
    queue: verificationQueue,
    retryLimit: 2,
    expireInSeconds: 86_400,
    concurrency: services.config.verificationConcurrency,
    perGroup: services.config.runs.runsPerOwner,
    idOf: ({ verificationId }) => verificationId,
    begin: (ctx, id) => begin(ctx, id, findExecutor),
    isInterruption: isLostProcess,
    abandon: async (ctx, id, error) => {
      const verification = await ctx.db.getRepository(VerificationEntity).findOneBy({ id })
      if (verification) await end(ctx, verification, { status: 'failed', error })
    },
  })
}

async function begin(
  ctx: Context,
  id: string,
  findExecutor: FindExecutor,
): Promise<Attempt<VerificationProgress> | undefined> {
  const begun = await beginVerification(ctx, id)
  if (!begun) return undefined
  const { verification, project } = begun
  const { attempt } = verification
  const secrets = verification.withSecrets ? await withRetry(() => loadEnvironment(ctx, project.id)) : {}
  const mask = maskOf(secrets)
  const directory = verificationDirectory(ctx.config, id, attempt)
  await removeTree(verificationDirectory(ctx.config, id, attempt - 1))

  const verifications = ctx.db.getRepository(VerificationEntity)
  const current = { id, attempt, status: 'running' as const }
  let known: VerificationProgress | undefined
  return {
    isCurrent: () => verifications.existsBy(current),
    progress: () => known,
    writeProgress: async (progress) => (await verifications.update(current, { progress })).affected !== 0,
    work: async (context, writeNow) => {
      const report: Report = (phase, done = 0, total = 0) => {
        const isNew = known?.phase !== phase
        known = { phase, done, total }
        if (isNew) writeNow()
      }
      const scope = { verification, project, directory, secrets, mask, report, findExecutor }
      await end(ctx, verification, await reachVerdict(context, scope))
    },
    explain: (error) => (error instanceof RunFailure ? error : undefined),
    fail: ({ code, message }) => end(ctx, verification, { status: 'failed', error: { code, message: mask(message) } }),
    close: () => removeTree(directory),
  }
}

async function end(ctx: Context, verification: VerificationRow, how: VerificationEnd): Promise<void> {
  await withRetry(() => inTransaction(ctx, (tx) => endVerification(tx, verification, how)))
}
