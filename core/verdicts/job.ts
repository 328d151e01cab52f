import type { DataSource, EntitySchema } from 'typeorm'
import { type Context, inTransaction, type Services } from '../base/context.ts'
import { isLostProcess } from '../base/engines.ts'
import { withRetry } from '../base/retry.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { type Attempt, recordJob, type RecordError } from '../jobs/record-job.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { removeTree } from '../workspaces/directories.ts'
import type { FindExecutor } from '../workspaces/find-executor.ts'
import { maskOf } from '../workspaces/mask.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import { attemptDirectory } from './directories.ts'
import type { JudgedRow } from './record.ts'
import { beginAttempt, type JudgedEnd, sharedFields } from './state.ts'

/** What an attempt to reach a verdict receives. */
export interface VerdictScope<Row, Phase> {
  row: Row
  project: Omit<ProjectRow, 'settings'>
  /** The folder for all files of the attempt. */
  directory: string
  /** The project's environment. The tests see it only if their code is trusted. */
  secrets: Readonly<Record<string, string>>
  mask: (text: string) => string
  /** Reports the progress; without numbers for phases that have no runs. */
  report: (phase: Phase, done?: number, total?: number) => void
  findExecutor: FindExecutor
}

/** The work on records of one kind. */
export interface JudgedJob<Payload extends object, Row extends JudgedRow, Phase extends string> {
  /** The name of the record in messages, such as `change`. */
  noun: string
  queue: string
  entity: EntitySchema<Row>
  idOf: (payload: Payload) => string
  loadSecrets: (ctx: Context, row: Row) => Promise<Readonly<Record<string, string>>>
  /** @throws RunFailure if Assay cannot reach a verdict */
  reachVerdict: (ctx: Context, scope: VerdictScope<Row, Phase>) => Promise<JudgedEnd<Row>>
  /** Ends the record in a transaction. Without an attempt, the record ends whatever its attempt is. */
  end: (tx: Context, record: { id: string; attempt?: number }, how: JudgedEnd<Row>) => Promise<unknown>
}

/** Takes records from the queue and reaches their verdicts. */
export function judgedJob<Payload extends object, Row extends JudgedRow, Phase extends string>(
  services: Services,
  dataSource: DataSource,
  findExecutor: FindExecutor,
  job: JudgedJob<Payload, Row, Phase>,
): JobKind<Payload> {
  const { noun, queue, idOf } = job
  return recordJob<Payload, Progress<Phase>>(services, dataSource, {
    noun,
    queue,
    retryLimit: 2,
    expireInSeconds: 86_400,
    concurrency: services.config.verificationConcurrency,
    perGroup: services.config.runs.runsPerOwner,
    idOf,
    begin: (ctx, id) => begin(ctx, id, job, findExecutor),
    isInterruption: isLostProcess,
    abandon: (ctx, id, error) => abandon(ctx, job, id, error),
  })
}

/** Ends a record whose worker stopped in every attempt, and removes what the last of them left. */
async function abandon<Row extends JudgedRow>(
  ctx: Context,
  job: Pick<JudgedJob<never, Row, never>, 'entity' | 'end'>,
  id: string,
  error: RecordError,
): Promise<void> {
  await end(ctx, job, { id }, { status: 'failed', error })
  const { attempt } = (await withRetry(() => sharedFields(ctx, job.entity).findOneBy({ id }))) ?? {}
  if (attempt !== undefined) await removeTree(attemptDirectory(ctx.config, job.entity, { id, attempt }))
}

interface Progress<Phase> {
  phase: Phase
  done: number
  total: number
}

async function begin<Row extends JudgedRow, Phase extends string>(
  ctx: Context,
  id: string,
  job: JudgedJob<never, Row, Phase>,
  findExecutor: FindExecutor,
): Promise<Attempt<Progress<Phase>> | undefined> {
  const { entity, loadSecrets, reachVerdict } = job
  const begun = await beginAttempt(ctx, entity, id)
  if (!begun) return undefined
  const { row, project } = begun
  const { attempt } = row
  const secrets = await withRetry(() => loadSecrets(ctx, row))
  const mask = maskOf(secrets)
  const directory = attemptDirectory(ctx.config, entity, { id, attempt })
  await removeTree(attemptDirectory(ctx.config, entity, { id, attempt: attempt - 1 }))

  const records = sharedFields(ctx, entity)
  const current = { id, attempt, status: 'running' as const }
  let known: Progress<Phase> | undefined
  return {
    isCurrent: () => records.existsBy(current),
    progress: () => known,
    writeProgress: async (progress) => (await records.update(current, { progress })).affected !== 0,
    work: async (context, writeNow) => {
      const report = (phase: Phase, done = 0, total = 0) => {
        const isNew = known?.phase !== phase
        known = { phase, done, total }
        if (isNew) writeNow()
      }
      const scope = { row, project, directory, secrets, mask, report, findExecutor }
      await end(ctx, job, current, await reachVerdict(context, scope))
    },
    explain: (error) => (error instanceof RunFailure ? error : undefined),
    fail: ({ code, message }) => end(ctx, job, current, { status: 'failed', error: { code, message: mask(message) } }),
    close: () => removeTree(directory),
  }
}

async function end<Row extends JudgedRow>(
  ctx: Context,
  job: Pick<JudgedJob<never, Row, never>, 'end'>,
  record: { id: string; attempt?: number },
  how: JudgedEnd<Row>,
): Promise<void> {
  await withRetry(() => inTransaction(ctx, (tx) => job.end(tx, record, how)))
}
