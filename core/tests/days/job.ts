import type { DataSource } from 'typeorm'
import { contextOfSystem, type Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { createPartitions, resultsTable } from '../../test-runs/results/partitions.ts'
import { expireQuarantines } from '../../quarantine/expire.ts'
import { daysTable, deleteOldResults } from './retention.ts'
import { rollUpDays } from './roll-up.ts'

export const daysQueue = 'test-days'

/** In one process of all. Most hours find nothing to do. */
export const daysSchedule = '7,22,37,52 * * * *'

/** Creates partitions, rolls up days, deletes old results, and ends quarantines. */
export function daysJob(services: Services, dataSource: DataSource): JobKind<object> {
  return {
    queue: daysQueue,
    retryLimit: 2,
    heartbeatSeconds: 30,
    expireInSeconds: 3_600,
    concurrency: 1,
    async handle(_, signal) {
      const ctx = contextOfSystem(services, dataSource.manager, { requestId: daysQueue, signal })
      await expireQuarantines(ctx)
      await createPartitions(ctx.db, resultsTable, ctx.now())
      await createPartitions(ctx.db, daysTable, ctx.now())
      await rollUpDays(ctx)
      await deleteOldResults(ctx)
    },
    onExhausted: async () => services.log.error('the daily work on test results failed; the next job tries again'),
  }
}
