import { type DataSource, In, LessThanOrEqual } from 'typeorm'
import type { Services } from '../base/context.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { DoomedObjectEntity } from './entity.ts'

const batchSize = 50

/** The retry delay for an object that the storage failed to delete. */
const retryMs = 3_600_000

/** Deletes the objects that are due and returns their number. */
export async function deleteDoomedObjects(
  services: Pick<Services, 'log' | 'now' | 'storage'>,
  dataSource: DataSource,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0
  for (let seen = batchSize; seen === batchSize && !signal.aborted;) {
    const batch = await deleteBatch(services, dataSource)
    seen = batch.seen
    deleted += batch.deleted
  }
  return deleted
}

/**
 * The rows stay locked until their objects are deleted, so that `keepFiles` cannot claim one meanwhile. The rows are
 * deleted last, so that an interrupted round starts again with the same objects.
 */
function deleteBatch({ log, now, storage }: Pick<Services, 'log' | 'now' | 'storage'>, dataSource: DataSource) {
  return dataSource.transaction(async (db) => {
    const doomed = db.getRepository(DoomedObjectEntity)
    const rows = await doomed.find({
      where: { dueAt: LessThanOrEqual(now()) },
      order: { dueAt: 'ASC' },
      take: batchSize,
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    })
    const outcomes = await Promise.allSettled(rows.map(({ storageKey }) => storage.delete(storageKey)))
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
    if (failed[0]) log.warn({ err: failed[0].reason, objects: failed.length }, 'cannot delete stored files')
    const keysOf = (status: string) =>
      rows.filter((_, index) => outcomes[index]?.status === status).map(({ storageKey }) => storageKey)
    await doomed.update({ storageKey: In(keysOf('rejected')) }, { dueAt: new Date(now().getTime() + retryMs) })
    await doomed.delete({ storageKey: In(keysOf('fulfilled')) })
    return { seen: rows.length, deleted: rows.length - failed.length }
  })
}

export const deleteFilesQueue = 'delete-files'

/** Every five minutes, in one of all processes. */
export const deleteFilesSchedule = '*/5 * * * *'

export function deleteFilesJob(services: Services, dataSource: DataSource): JobKind<object> {
  return {
    queue: deleteFilesQueue,
    retryLimit: 1,
    heartbeatSeconds: 30,
    expireInSeconds: 900,
    concurrency: 1,
    handle: async (_, signal) => void (await deleteDoomedObjects(services, dataSource, signal)),
    onExhausted: async () => services.log.error('cannot delete stored files; the next clean-up tries again'),
  }
}
