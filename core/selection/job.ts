import type { DataSource } from 'typeorm'
import { RepositoryError } from '../../engines/source/types.ts'
import type { Services } from '../base/context.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import { shadowQueue } from './request-shadow.ts'
import type { WholeRun } from './caused-failures.ts'
import { storeShadow } from './shadow.ts'

interface ShadowJob {
  runId: string
}

/** Computes selections in the shadow of runs of all tests. */
export function shadowJob(services: Services, dataSource: DataSource): JobKind<ShadowJob> {
  return {
    queue: shadowQueue,
    retryLimit: 3,
    retryDelaySeconds: 30,
    heartbeatSeconds: 30,
    expireInSeconds: 900,
    concurrency: 1,
    handle: async ({ runId }, signal) => {
      const db = dataSource.manager
      const [run] = await db.query<(WholeRun & { projectId: string })[]>(
        `SELECT id, project_id AS "projectId", branch, commit_sha AS "commitSha", pull_request AS "pullRequest", ran_at AS "ranAt"
           FROM test_runs WHERE id = $1`,
        [runId],
      )
      const project = run && (await db.getRepository(ProjectEntity).findOneBy({ id: run.projectId }))
      if (!project) return
      const ctx = {
        ...services,
        db,
        actor: { kind: 'system' as const },
        client: { ipAddress: null, userAgent: null },
        requestId: `shadow-${runId}`,
        forgetSession: () => {},
        signal,
      }
      try {
        await storeShadow(ctx, project, run)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof RunFailure) && !(error instanceof RepositoryError)) throw error
        ctx.log.info({ reason: error.message, runId }, 'cannot compute the selection for a run')
      }
    },
    onExhausted: async () => {},
  }
}
