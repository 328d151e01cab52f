import type { DataSource } from 'typeorm'
import type { Services } from '../base/context.ts'
import { cleanUpGates } from '../gate/clean-up.ts'
import { cleanUpSignIns } from '../identity/sessions/clean-up.ts'
import { cleanUpDeliveries } from '../inbound/clean-up.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { cleanUpPosts } from '../code-host-posts/clean-up.ts'
import { cleanUpSnapshots } from '../snapshots/clean-up.ts'
import { deleteCachesOfNoProject } from '../workspaces/cache-directory.ts'
import { cleanUpEvents, cleanUpWebhooks } from '../webhooks/clean-up.ts'

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
      await cleanUpPosts(dataSource.manager, services.now())
      await cleanUpGates(dataSource.manager, services.now())
      await cleanUpSnapshots({ ...services, db: dataSource.manager })
      await deleteCachesOfNoProject({ ...services, db: dataSource.manager })
    },
    onExhausted: async () => services.log.error('the clean-up failed; the next one tries again'),
  }
}
