import type { DataSource } from 'typeorm'
import { contextOfSystem, inTransaction, type Services } from '../../base/context.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { ProjectEntity } from '../../projects/entity.ts'
import { loadTestPolicy } from '../../test-policy/load.ts'
import { healthQueue } from '../../test-runs/request-health.ts'
import { announceHealth } from './announce.ts'
import { muteFlaky } from './mute-flaky.ts'
import { judgeProject } from './judge-project.ts'

interface HealthJob {
  projectId: string
  /** Judges all tests anew, after a change of the rules or of the branch. */
  everything?: boolean
  /** Judges these tests, too. */
  tests?: string[]
}

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
    async handle({ projectId, everything = false, tests = [] }, signal) {
      const ctx = contextOfSystem(services, dataSource.manager, { requestId: `health-${projectId}`, signal })
      await inTransaction(ctx, async (tx) => {
        // All transactions lock the project first. The second lock lets one process at a time judge a project.
        await tx.db.query('SELECT FROM projects WHERE id = $1 FOR KEY SHARE', [projectId])
        await tx.db.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`health/${projectId}`])
        const project = await tx.db.getRepository(ProjectEntity).findOneBy({ id: projectId })
        if (!project) return
        const news = await judgeProject(tx, project, { everything, tests })
        if (news.length === 0) return
        const { quarantine } = await loadTestPolicy(tx, projectId)
        await muteFlaky(tx, projectId, quarantine, news)
        await announceHealth(tx, project, news)
      })
    },
    // The runs stay pending, so the next one of the project includes them.
    onExhausted: async ({ projectId }) => services.log.error({ projectId }, 'the health of tests could not be judged'),
  }
}

/** Requests the judgement of runs whose request was lost, or which an earlier version stored. */
export async function requestPendingHealth({ jobs }: Pick<Services, 'jobs'>, dataSource: DataSource): Promise<void> {
  const rows = await dataSource.query<{ projectId: string }[]>(
    'SELECT DISTINCT project_id AS "projectId" FROM test_runs WHERE health_pending',
  )
  if (rows.length > 0) await jobs.enqueueAll(dataSource.manager, healthQueue, rows)
}
