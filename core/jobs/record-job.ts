import type { DataSource } from 'typeorm'
import { type Context, contextOfSystem, type Services } from '../base/context.ts'
import { withRetry } from '../base/retry.ts'
import type { JobKind } from './jobs.ts'
import { watchRecord } from './watch-record.ts'

/** Why the work on a record failed. */
export interface RecordError {
  code: string
  message: string
}

/** One attempt at the work on a record. */
export interface Attempt<Progress> {
  /** Whether the record has not ended, was not deleted, and has no later attempt. */
  isCurrent(): Promise<boolean>
  /** Returns the progress of the work; undefined before it has begun. */
  progress(): Progress | undefined
  /** Stores the progress if the attempt is current; returns whether it is. */
  writeProgress(progress: Progress): Promise<boolean>
  /**
   * Does the work and ends the record. The signal of `ctx` aborts when the attempt is no longer current.
   *
   * @param writeNow - stores the progress immediately instead of at the next interval
   */
  work(ctx: Context, writeNow: () => void): Promise<void>
  /** Describes an expected error; returns undefined for a defect. */
  explain(error: unknown): RecordError | undefined
  /** Ends the record as failed if the attempt is current. */
  fail(error: RecordError): Promise<void>
  /** Called when the program stops. The queue then repeats the work. */
  onStopping?(): void
  /** Called when the work failed because the attempt was no longer current. */
  onLost?(): Promise<void>
  /** Deletes the files of the attempt. Always called. */
  close?(): Promise<void>
}

/** Background work on a record that has a status and shows progress. */
export interface RecordJob<Payload extends object, Progress> extends Pick<
  JobKind<Payload>,
  'queue' | 'retryLimit' | 'expireInSeconds' | 'concurrency' | 'perGroup'
> {
  /** The name of the record in messages, such as `run`. */
  noun: string
  idOf: (payload: Payload) => string
  /** Marks the record as running; returns undefined if it has ended or was deleted. */
  begin(ctx: Context, id: string): Promise<Attempt<Progress> | undefined>
  /** Ends a record after its last attempt has failed. */
  abandon(ctx: Context, id: string, error: RecordError): Promise<void>
  /** Whether the error means that a process was killed, so that the queue must repeat the work. */
  isInterruption?(error: unknown): boolean
}

/** Creates a kind of job whose attempts start over after the loss of their worker. */
export function recordJob<Payload extends object, Progress>(
  services: Services,
  dataSource: DataSource,
  job: RecordJob<Payload, Progress>,
): JobKind<Payload> {
  const { queue, retryLimit, expireInSeconds, concurrency, perGroup, noun, idOf } = job
  const contextOf = (id: string, signal: AbortSignal) =>
    contextOfSystem(services, dataSource.manager, { requestId: `${noun}-${id}`, signal })
  return {
    queue,
    retryLimit,
    heartbeatSeconds: 10,
    expireInSeconds,
    concurrency,
    ...(perGroup === undefined ? {} : { perGroup }),
    handle: (payload, signal) => workOn(contextOf(idOf(payload), signal), job, idOf(payload)),
    onExhausted: async (payload) => {
      const message =
        `The worker stopped unexpectedly ${retryLimit + 1} times while processing this ${noun}. ` +
        'The log of the server has the details. The machine may have too little memory or disk space for it.'
      await job.abandon(contextOf(idOf(payload), services.stopping), idOf(payload), { code: 'interrupted', message })
    },
  }
}

async function workOn<Progress>(ctx: Context, job: RecordJob<never, Progress>, id: string): Promise<void> {
  const attempt = await withRetry(() => job.begin(ctx, id), ctx.signal)
  if (!attempt) return
  try {
    await using watch = watchRecord<Progress>(ctx.log, {
      id,
      progress: () => attempt.progress(),
      write: (progress) => attempt.writeProgress(progress),
      isCurrent: () => attempt.isCurrent(),
    })
    await attempt.work({ ...ctx, signal: AbortSignal.any([ctx.signal, watch.signal]) }, watch.checkNow)
  } catch (error) {
    if (ctx.signal.aborted) {
      attempt.onStopping?.()
      throw error
    }
    if (!(await withRetry(() => attempt.isCurrent()))) {
      await attempt.onLost?.()
      return
    }
    if (job.isInterruption?.(error) === true) {
      ctx.log.warn({ err: error, recordId: id }, `the ${job.noun} was interrupted, and is tried again`)
      throw error
    }
    const reason = attempt.explain(error) ?? describeDefect(ctx, job.noun, id, error)
    await withRetry(() => attempt.fail(reason))
  } finally {
    ctx.changes.lookSoon()
    await attempt.close?.()
  }
}

function describeDefect(ctx: Context, noun: string, id: string, error: unknown): RecordError {
  ctx.log.error({ err: error, recordId: id }, `the ${noun} failed`)
  if (/ENOSPC|No space left/i.test(String(error))) {
    return { code: 'disk_full', message: 'The disk of the server is full. Free disk space, then try again.' }
  }
  const message = `Assay failed while processing this ${noun}. This is a defect in Assay. The log of the server has the details.`
  return { code: 'internal', message }
}
