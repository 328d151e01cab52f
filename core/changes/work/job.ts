import type { DataSource } from 'typeorm'
import { type Context, inTransaction, type Services } from '../../base/context.ts'
import { isLostProcess } from '../../base/engines.ts'
import { withRetry } from '../../base/retry.ts'
import type { JobKind } from '../../jobs/jobs.ts'
import { type Attempt, recordJob } from '../../jobs/record-job.ts'
import { loadEnvironment } from '../../projects/settings.ts'
import { removeTree } from '../../workspaces/directories.ts'
import type { FindExecutor } from '../../workspaces/find-executor.ts'
import { maskOf } from '../../workspaces/mask.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { ChangeEntity, type ChangeRow } from '../entity.ts'
import { changeQueue } from '../queue.ts'
import type { ChangeProgress } from '../schema.ts'
import { beginChange, type ChangeEnd, endChange } from '../state.ts'
import { changeDirectory } from './directories.ts'
import { reachVerdict } from './reach-verdict.ts'
import type { Report } from './task.ts'

interface ChangeJob {
  changeId: string
}

/** Takes changes from the queue and reaches their verdicts. */
export function changeJob(services: Services, dataSource: DataSource, findExecutor: FindExecutor): JobKind<ChangeJob> {
  return recordJob<ChangeJob, ChangeProgress>(services, dataSource, {
    noun: 'change',
    queue: changeQueue,
    retryLimit: 2,
    expireInSeconds: 86_400,
    concurrency: services.config.verificationConcurrency,
    perGroup: services.config.runs.runsPerOwner,
    idOf: ({ changeId }) => changeId,
    begin: (ctx, id) => begin(ctx, id, findExecutor),
    isInterruption: isLostProcess,
    abandon: async (ctx, id, error) => {
      const change = await ctx.db.getRepository(ChangeEntity).findOneBy({ id })
      if (change) await end(ctx, change, { status: 'failed', error })
    },
  })
}

async function begin(
  ctx: Context,
  id: string,
  findExecutor: FindExecutor,
): Promise<Attempt<ChangeProgress> | undefined> {
  const begun = await beginChange(ctx, id)
  if (!begun) return undefined
  const { change, project } = begun
  const { attempt } = change
  const secrets = await withRetry(() => loadEnvironment(ctx, project.id))
  const mask = maskOf(secrets)
  const directory = changeDirectory(ctx.config, id, attempt)
  await removeTree(changeDirectory(ctx.config, id, attempt - 1))

  const changes = ctx.db.getRepository(ChangeEntity)
  const current = { id, attempt, status: 'running' as const }
  let known: ChangeProgress | undefined
  return {
    isCurrent: () => changes.existsBy(current),
    progress: () => known,
    writeProgress: async (progress) => (await changes.update(current, { progress })).affected !== 0,
    work: async (context, writeNow) => {
      const report: Report = (phase, done = 0, total = 0) => {
        const isNew = known?.phase !== phase
        known = { phase, done, total }
        if (isNew) writeNow()
      }
      const scope = { change, project, directory, secrets, mask, report, findExecutor }
      await end(ctx, change, await reachVerdict(context, scope))
    },
    explain: (error) => (error instanceof RunFailure ? error : undefined),
    fail: ({ code, message }) => end(ctx, change, { status: 'failed', error: { code, message: mask(message) } }),
    close: () => removeTree(directory),
  }
}

async function end(ctx: Context, change: ChangeRow, how: ChangeEnd): Promise<void> {
  await withRetry(() => inTransaction(ctx, (tx) => endChange(tx, change, how)))
}
