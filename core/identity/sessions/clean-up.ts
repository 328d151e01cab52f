import type { DataSource, EntityManager } from 'typeorm'
import type { Services } from '../../base/context.ts'
import { cleanUpDeliveries } from '../../inbound/clean-up.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { cleanUpEvents, cleanUpWebhooks } from '../../webhooks/clean-up.ts'

/** How long an ended session is kept, to tell its owner apart from somebody who never had one. */
const keptMs = 86_400_000

/** Deletes sessions that ended a day ago or earlier, and flows and one-time tokens whose time is over. */
export async function cleanUpSignIns(db: EntityManager, now: Date): Promise<void> {
  await db.query('DELETE FROM sessions WHERE expires_at < $1 OR revoked_at < $1', [new Date(now.getTime() - keptMs)])
  await db.query('DELETE FROM oauth_flows WHERE expires_at < $1', [now])
  await db.query('DELETE FROM one_time_tokens WHERE expires_at < $1', [now])
  await db.query('DELETE FROM rate_limits WHERE expire < $1', [now.getTime()])
}

export const cleanUpQueue = 'clean-up'

/** Every quarter of an hour, in one process of all. */
export const cleanUpSchedule = '*/15 * * * *'

export function cleanUpJob(services: Services, dataSource: DataSource): JobKind<object> {
  return {
    queue: cleanUpQueue,
    retryLimit: 1,
    heartbeatSeconds: 30,
    expireInSeconds: 300,
    concurrency: 1,
    async handle() {
      await cleanUpSignIns(dataSource.manager, services.now())
      await cleanUpDeliveries(dataSource.manager, services.now())
      await cleanUpEvents(dataSource.manager, services.now())
      await cleanUpWebhooks(dataSource.manager, services.now())
    },
    giveUp: async () => services.log.error('cleaning up did not work; the next round tries again'),
  }
}
