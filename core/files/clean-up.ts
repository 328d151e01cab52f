import { type DataSource, In, LessThanOrEqual } from 'typeorm'
import type { Services } from '../base/context.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { DoomedObjectEntity } from './entity.ts'

const batchSize = 50

/** When to come back to an object that the storage did not let go of. */
const againMs = 3_600_000

/** Deletes the objects whose time is over, and returns how many are gone. */
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
 * The rows stay locked until their objects are gone, so that nobody can take one back meanwhile; they go last, so that
 * an interrupted round begins again with the same.
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
    await doomed.update({ storageKey: In(keysOf('rejected')) }, { dueAt: new Date(now().getTime() + againMs) })
    await doomed.delete({ storageKey: In(keysOf('fulfilled')) })
    return { seen: rows.length, deleted: rows.length - failed.length }
  })
}

export const deleteFilesQueue = 'delete-files'

/** Every five minutes, in one process of all. */
export const deleteFilesSchedule = '*/5 * * * *'

export function deleteFilesJob(services: Services, dataSource: DataSource): JobKind<object> {
  return {
    queue: deleteFilesQueue,
    retryLimit: 1,
    heartbeatSeconds: 30,
    expireInSeconds: 900,
    concurrency: 1,
    handle: async (_, signal) => void (await deleteDoomedObjects(services, dataSource, signal)),
    giveUp: async () => services.log.error('cannot delete stored files; the next clean-up tries again'),
  }
}
