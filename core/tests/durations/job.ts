import type { DataSource } from 'typeorm'
import { type Context, contextOfSystem, type Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { ProjectEntity } from '../../projects/entity.ts'
import { updateDurations } from './update.ts'

export const durationsQueue = 'test-durations'

interface DurationsJob {
  projectId: string
}

/** Enough for a page about speed, and seldom enough for a project with 10,000 tests. */
const settleSeconds = 300

/** Computes the durations of the tests of a project some minutes after a run. */
export function durationsJob(services: Services, dataSource: DataSource): JobKind<DurationsJob> {
  return {
    queue: durationsQueue,
    retryLimit: 1,
    retryDelaySeconds: 30,
    heartbeatSeconds: 10,
    expireInSeconds: 600,
    concurrency: 1,
    perGroup: 1,
    async handle({ projectId }, signal) {
      const ctx = contextOfSystem(services, dataSource.manager, { requestId: `durations-${projectId}`, signal })
      const project = await ctx.db.getRepository(ProjectEntity).findOneBy({ id: projectId })
      if (project && (await updateDurations(ctx, project))) await requestDurations(ctx, projectId)
    },
    onExhausted: async ({ projectId }) =>
      services.log.warn({ projectId }, 'the durations of tests could not be computed; the next run tries again'),
  }
}

/** Requests that the durations of a project's tests are computed, in the caller's transaction. */
export const requestDurations = ({ db, jobs }: Pick<Context, 'db' | 'jobs'>, projectId: string): Promise<void> =>
  jobs.enqueue(db, durationsQueue, { projectId }, { group: projectId, settleSeconds })
