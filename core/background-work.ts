import { analysisJob } from './analysis/job.ts'
import { rankingJob } from './analysis/rank-anew.ts'
import type { Services } from './base/context.ts'
import { isDatabaseUnavailable } from './base/retry.ts'
import { applyBillingEvent } from './billing/apply-event.ts'
import { BillingFacts } from './billing/schema.ts'
import { ChangeEntity } from './changes/entity.ts'
import { ConfirmationEntity } from './confirmations/entity.ts'
import { confirmationJob } from './confirmations/work/job.ts'
import { mergedJob, mergedQueue, mergedSchedule } from './confirmations/work/note-merged.ts'
import { MeasurementEntity } from './strength/entity.ts'
import { strengthJob } from './strength/work/job.ts'
import { changeJob } from './changes/work/job.ts'
import type { Database } from './database.ts'
import { deleteFilesJob, deleteFilesQueue, deleteFilesSchedule } from './files/clean-up.ts'
import { mailJob } from './identity/mail/job.ts'
import { isInvited } from './identity/organizations/accept-invitations.ts'
import { shadowJob } from './selection/job.ts'
import { deadlineJob, deadlineQueue, deadlineSchedule, gateJob } from './gate/job.ts'
import { inboundJob } from './inbound/process.ts'
import type { JobKind } from './jobs/jobs.ts'
import { postJob, requestPendingPosts } from './code-host-posts/job.ts'
import { cleanUpJob, cleanUpQueue, cleanUpSchedule } from './system/clean-up.ts'
import { deleteAbandonedUploads } from './snapshots/clean-up.ts'
import { createPartitions, resultsTable, type WeeklyTable } from './test-runs/results/partitions.ts'
import { runJob } from './test-runs/job.ts'
import { sweepRuns } from './test-runs/run/sweep.ts'
import { sweepAttempts } from './verdicts/directories.ts'
import { VerificationEntity } from './verifications/entity.ts'
import { verificationJob } from './verifications/work/job.ts'
import { daysJob, daysQueue, daysSchedule } from './tests/days/job.ts'
import { daysTable } from './tests/days/retention.ts'
import { healthJob, requestPendingHealth } from './tests/health/job.ts'
import { durationsJob } from './tests/durations/job.ts'
import { ownersJob } from './tests/owners/job.ts'
import { startDispatcher } from './webhooks/dispatch/dispatcher.ts'
import { executorFinder } from './workspaces/find-executor.ts'
import { sweepInstalls } from './workspaces/kept-installs.ts'

/** Registers every kind of background work. With `ROLE=web`, this process only adds jobs and does not work on them. */
export async function startBackgroundWork(
  services: Services,
  { jobs: dataSource, deliveries }: Database,
  opened: AsyncDisposableStack,
): Promise<void> {
  const { config, log, jobs } = services
  const isWorker = config.role !== 'web'
  const createPartitionsOf = (table: WeeklyTable) =>
    createPartitions(dataSource.manager, table, services.now()).catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error
      log.warn({ err: error, table: table.name }, 'partitions were not created; the quarter-hourly job tries again')
    })
  const parts = { config, log, db: dataSource.manager }
  const judged = [VerificationEntity, ConfirmationEntity, ChangeEntity, MeasurementEntity]
  await Promise.all([
    ...[resultsTable, daysTable].map(createPartitionsOf),
    deleteAbandonedUploads(services),
    // Before the first job of this process creates a folder.
    ...(isWorker
      ? [sweepInstalls(parts), sweepRuns(parts), ...judged.map((table) => sweepAttempts(parts, table))]
      : []),
  ])
  const register = <Payload extends object>(kind: JobKind<Payload>) => (isWorker ? jobs.work(kind) : jobs.declare(kind))
  await register(analysisJob(services, dataSource))
  await register(rankingJob(services, dataSource))
  await register(cleanUpJob(services, dataSource))
  await register(mailJob(services, dataSource, isInvited))
  await register(inboundJob(services, dataSource, (tx, facts) => applyBillingEvent(tx, BillingFacts.parse(facts))))
  await register(postJob(services, dataSource))
  await register(deleteFilesJob(services, dataSource))
  const findExecutor = executorFinder(config, log)
  await register(runJob(services, dataSource, findExecutor))
  await register(healthJob(services, dataSource))
  await register(daysJob(services, dataSource))
  await register(ownersJob(services, dataSource))
  await register(durationsJob(services, dataSource))
  await register(verificationJob(services, dataSource, findExecutor))
  await register(confirmationJob(services, dataSource, findExecutor))
  await register(mergedJob(services, dataSource))
  await register(gateJob(services, dataSource))
  await register(deadlineJob(services, dataSource))
  await register(shadowJob(services, dataSource))
  await register(changeJob(services, dataSource, findExecutor))
  await register(strengthJob(services, dataSource, findExecutor))
  if (isWorker) {
    await Promise.all([requestPendingPosts(services, dataSource), requestPendingHealth(services, dataSource)])
  }
  await jobs.schedule(cleanUpQueue, cleanUpSchedule)
  await jobs.schedule(deleteFilesQueue, deleteFilesSchedule)
  await jobs.schedule(daysQueue, daysSchedule)
  await jobs.schedule(mergedQueue, mergedSchedule)
  await jobs.schedule(deadlineQueue, deadlineSchedule)
  if (isWorker) opened.use(startDispatcher(services, deliveries))
}
