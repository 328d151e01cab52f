import type { DataSource } from 'typeorm'
import { contextOfSystem, type Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { enqueueHealth, healthQueue, projectsToJudge } from '../../test-runs/request-health.ts'
import { judgeProject } from './judge-project.ts'

interface HealthJob {
  projectId: string
}

/** After so long, the job of a large project goes to the end of the queue. */
const turnMs = 2_000

/** Judges the health of tests after their results were stored. */
export function healthJob(services: Services, dataSource: DataSource): JobKind<HealthJob> {
  return {
    queue: healthQueue,
    retryLimit: 5,
    retryDelaySeconds: 2,
    heartbeatSeconds: 10,
    expireInSeconds: 600,
    concurrency: 2,
    perGroup: 1,
    async handle({ projectId }, signal) {
      const ctx = contextOfSystem(services, dataSource.manager, { requestId: `health-${projectId}`, signal })
      if (await judgeProject(ctx, projectId, Date.now() + turnMs)) await enqueueHealth(ctx, projectId)
    },
    // The work stays listed, so the next job of the project includes it.
    onExhausted: async ({ projectId }) => services.log.error({ projectId }, 'the health of tests could not be judged'),
  }
}

/** Requests the judgement of runs whose request was lost, or which an earlier version stored. */
export async function requestPendingHealth({ jobs }: Pick<Services, 'jobs'>, dataSource: DataSource): Promise<void> {
  const rows = await dataSource.query<{ projectId: string }[]>(
    `SELECT DISTINCT project_id AS "projectId" FROM (${projectsToJudge}) AS waiting`,
  )
  for (const { projectId } of rows) await enqueueHealth({ jobs, db: dataSource.manager }, projectId)
}
