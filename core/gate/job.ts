import type { DataSource } from 'typeorm'
import type { Context, Services } from '../base/context.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { gateQueue, requestGate } from '../test-runs/request-gate.ts'
import { GateEntity, withPatch } from './entity.ts'
import { judgeGate } from './judge.ts'

interface GateJob {
  gateId: string
}

const contextOf = (services: Services, dataSource: DataSource, requestId: string, signal: AbortSignal): Context => ({
  ...services,
  db: dataSource.manager,
  actor: { kind: 'system' },
  client: { ipAddress: null, userAgent: null },
  requestId,
  forgetSession: () => {},
  signal,
})

/** Decides gates anew after something changed that they judge. */
export function gateJob(services: Services, dataSource: DataSource): JobKind<GateJob> {
  return {
    queue: gateQueue,
    retryLimit: 6,
    retryDelaySeconds: 5,
    heartbeatSeconds: 30,
    expireInSeconds: 600,
    concurrency: 4,
    handle: async ({ gateId }, signal) => {
      const ctx = contextOf(services, dataSource, `gate-${gateId}`, signal)
      const [gate] = await withPatch(ctx).where({ id: gateId }).getMany()
      const project = gate && (await ctx.db.getRepository(ProjectEntity).findOneBy({ id: gate.projectId }))
      if (project) await judgeGate(ctx, project, gate)
    },
    // The repository could not be reached for minutes.
    onExhausted: async ({ gateId }) => {
      const why = 'the repository could not be reached.'
      await dataSource.transaction(async (db) => {
        const { affected } = await db
          .getRepository(GateEntity)
          .createQueryBuilder()
          .update()
          .set({ incomparable: why })
          .where('id = :gateId AND patch IS NULL AND incomparable IS NULL', { gateId })
          .execute()
        if (affected) await requestGate({ ...services, db }, gateId)
      })
    },
  }
}

export const deadlineQueue = 'gate-deadline'
export const deadlineSchedule = '* * * * *'

/** Ends the wait of gates whose deadline has passed. */
export function deadlineJob(services: Services, dataSource: DataSource): JobKind<object> {
  return {
    queue: deadlineQueue,
    retryLimit: 0,
    heartbeatSeconds: 30,
    expireInSeconds: 55,
    concurrency: 1,
    handle: () =>
      dataSource.transaction(async (db) => {
        const due = await db.query<{ id: string }[]>(
          `SELECT id FROM gates WHERE state = 'pending' AND deadline_at <= $1 AND judged >= requests ORDER BY id LIMIT 500`,
          [services.now()],
        )
        for (const { id } of due) await requestGate({ ...services, db }, id)
      }),
    onExhausted: async () => {},
  }
}
