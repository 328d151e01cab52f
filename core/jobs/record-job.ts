import type { DataSource } from 'typeorm'
import type { Context, Services } from '../base/context.ts'
import { withRetry } from '../base/retry.ts'
import type { JobKind } from './jobs.ts'
import { watchRecord } from './watch-record.ts'

/** Why the work on a record failed, as the record keeps it. */
export interface RecordError {
  code: string
  message: string
}

/** One attempt at the work on a record. */
export interface Attempt<Progress> {
  /** Whether the record still waits for this attempt: nothing has ended or deleted it, and no later attempt began. */
  isCurrent(): Promise<boolean>
  /** How far the work is; undefined before it has begun. */
  progress(): Progress | undefined
  /** Stores the progress where the attempt is current; returns whether it is. */
  writeProgress(progress: Progress): Promise<boolean>
  /**
   * Does the work and ends the record. The signal of `ctx` aborts when the attempt is not current any more.
   *
   * @param writeNow - writes the progress at once, and not half a second later
   */
  work(ctx: Context, writeNow: () => void): Promise<void>
  /** Describes an error that is not a defect; undefined for one that is. */
  explain(error: unknown): RecordError | undefined
  /** Ends the record where the attempt is current. */
  fail(error: RecordError): Promise<void>
  /** Called before the queue repeats the work, because the program stops. */
  onStopping?(): void
  /** Called when the work failed because the attempt was not current any more. */
  onLost?(): Promise<void>
  /** Removes what the attempt has left on this machine. Called in every case. */
  close?(): Promise<void>
}

/** Background work on a record that shows its state and its progress. */
export interface RecordJob<Payload extends object, Progress> extends Pick<
  JobKind<Payload>,
  'queue' | 'retryLimit' | 'expireInSeconds' | 'concurrency' | 'perGroup'
> {
  /** What the record is, for messages: `run`. */
  noun: string
  idOf: (payload: Payload) => string
  /** Marks the record as running; undefined where it has ended or was deleted. */
  begin(ctx: Context, id: string): Promise<Attempt<Progress> | undefined>
  /** Ends a record whose attempts are used up. */
  abandon(ctx: Context, id: string, error: RecordError): Promise<void>
  /** Whether a process of the work was killed, so that the queue repeats it. */
  isInterruption?(error: unknown): boolean
}

/** Makes a kind of job that survives the loss of its worker: the next attempt begins from the start. */
export function recordJob<Payload extends object, Progress>(
  services: Services,
  dataSource: DataSource,
  job: RecordJob<Payload, Progress>,
): JobKind<Payload> {
  const { queue, retryLimit, expireInSeconds, concurrency, perGroup, noun, idOf } = job
  const contextOf = (id: string, signal: AbortSignal): Context => ({
    ...services,
    db: dataSource.manager,
    actor: { kind: 'system' },
    client: { ipAddress: null, userAgent: null },
    requestId: `${noun}-${id}`,
    forgetSession: () => {},
    signal,
  })
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
        'The log of the server has the details; the work may need more than the machine has.'
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
      look: () => attempt.isCurrent(),
    })
    await attempt.work({ ...ctx, signal: AbortSignal.any([ctx.signal, watch.signal]) }, watch.lookNow)
  } catch (error) {
    if (ctx.signal.aborted) {
      attempt.onStopping?.()
      throw error
    }
    if (!(await withRetry(() => attempt.isCurrent()))) {
      await attempt.onLost?.()
      return
    }
    if (job.isInterruption?.(error) === true) throw error
    const reason = attempt.explain(error) ?? describeDefect(ctx, job.noun, id, error)
    await withRetry(() => attempt.fail(reason))
  } finally {
    await attempt.close?.()
  }
}

function describeDefect(ctx: Context, noun: string, id: string, error: unknown): RecordError {
  ctx.log.error({ err: error, recordId: id }, `the ${noun} failed`)
  if (/ENOSPC|No space left/i.test(String(error))) {
    return { code: 'disk_full', message: 'The disk of the server is full. Try again when it has room.' }
  }
  const message = `Assay failed while processing this ${noun}. This is a defect in Assay; the log of the server has the details.`
  return { code: 'internal', message }
}
