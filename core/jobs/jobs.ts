import type { Logger } from 'pino'
import { isDeepStrictEqual } from 'node:util'
import { PgBoss, type Queue } from 'pg-boss'
import type { EntityManager } from 'typeorm'
import { sha256 } from '../base/crypto.ts'
import { queryPrepared } from '../base/prepared.ts'

/** A kind of background work: its queue, its retries and its handler. */
export interface JobKind<Payload extends object> {
  queue: string
  /** The number of retries. An attempt fails if its handler throws or its process ends. */
  retryLimit: number
  /** The delay before the first retry, doubled for each further one. Without it, retries are immediate. */
  retryDelaySeconds?: number
  /** After this time without a heartbeat, another worker takes over the job. At least 10. */
  heartbeatSeconds: number
  /** The maximum duration of one attempt. */
  expireInSeconds: number
  /** The number of jobs that one process handles at once. */
  concurrency: number
  /** The number of jobs of one group that all processes together handle at once. Default: one per process. */
  perGroup?: number
  handle: (payload: Payload, signal: AbortSignal) => Promise<void>
  /** Called after the last attempt has failed, so that the record does not stay unfinished. */
  onExhausted: (payload: Payload) => Promise<void>
}

declare module '../base/context.ts' {
  interface Services {
    jobs: Jobs
  }
}

/** The job queue. It is in the same Postgres database as the data, so that one transaction writes a job and its cause. */
export interface Jobs extends AsyncDisposable {
  /**
   * Adds a job in the caller's transaction: the job exists if and only if the transaction commits. `perGroup` limits how
   * many jobs of one group run at once. With `settleSeconds`, the job starts after this time and stands for all that a
   * group adds meanwhile, so that each of them is followed by one job, and at most one in this time. With `delaySeconds`,
   * the job starts after this time.
   */
  enqueue(
    db: EntityManager,
    queue: string,
    payload: object,
    options?: { group?: string; settleSeconds?: number; delaySeconds?: number },
  ): Promise<void>
  /** Adds a job for each payload, like `enqueue`. */
  enqueueAll(db: EntityManager, queue: string, payloads: object[]): Promise<void>
  /** Creates the queue, so that jobs can be added before a worker starts. */
  declare(
    kind: Pick<JobKind<object>, 'queue' | 'retryLimit' | 'retryDelaySeconds' | 'heartbeatSeconds' | 'expireInSeconds'>,
  ): Promise<void>
  /** Starts workers for this kind of job. */
  work<Payload extends object>(kind: JobKind<Payload>): Promise<void>
  /** Adds a job without payload at the times of the cron expression (UTC), once for all processes. */
  schedule(queue: string, cron: string): Promise<void>
  /** Stops taking jobs, aborts the signals of the handlers, and waits for their end. */
  stop(): Promise<void>
}

export interface JobsOptions {
  databaseUrl: string
  /** The connections of the queue itself, apart from one on which it listens. */
  poolSize?: number
  log: Logger
}

/** Postgres notifies workers of new jobs. Polling finds retries and the jobs of ended processes. */
const polling = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 1 }

/** The library has few statements, and planning them takes a good part of their time. */
const inTransactionOf = (db: EntityManager) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    rows: await queryPrepared(db, { name: `job-${sha256(text)}`.slice(0, 60), text }, values),
  }),
})

const deadLetterOf = (queue: string) => `${queue}-dead`

export async function startJobs({ databaseUrl, poolSize = 2, log }: JobsOptions): Promise<Jobs> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'assay-jobs',
    max: poolSize,
    useListenNotify: true,
    monitorIntervalSeconds: 2,
    superviseIntervalSeconds: 2,
  })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  boss.on('warning', (warning) => log.warn({ warning }, 'job queue'))
  await boss.start()

  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const worked = new Set<string>()
  let stopped: Promise<void> | undefined

  const stop = async () => {
    // Workers that still fetch jobs would begin the aborted ones again, and use up their attempts.
    await Promise.all([...worked].map((queue) => boss.offWork(queue, { wait: false })))
    stopping.abort(new Error('The program is stopping.'))
    await Promise.allSettled(running)
    await boss.stop({ graceful: true, timeout: 10_000 })
  }

  // One query instead of one per queue, because every start declares the same queues.
  const [queues, schedules] = await Promise.all([boss.getQueues(), boss.getSchedules()])
  const known = new Map(queues.map((queue) => [queue.name, queue]))
  const ensureQueue = async (name: string, options: Omit<Queue, 'name'>) => {
    const queue = known.get(name)
    if (queue && isDeepStrictEqual({ ...queue, ...options }, queue)) return
    if (!queue) await boss.createQueue(name, options)
    await boss.updateQueue(name, options)
  }

  const jobs: Jobs = {
    async enqueue(db, queue, payload, { group, settleSeconds, delaySeconds } = {}) {
      await boss.send(queue, payload, {
        ...(group ? { group: { id: group } } : {}),
        // One job in each slot of this length. It starts after the end of its slot.
        ...(settleSeconds === undefined
          ? {}
          : { singletonKey: group ?? '', singletonSeconds: settleSeconds, startAfter: settleSeconds }),
        ...(delaySeconds === undefined ? {} : { startAfter: delaySeconds }),
        db: inTransactionOf(db),
      })
    },

    async enqueueAll(db, queue, payloads) {
      await boss.insert(
        queue,
        payloads.map((data) => ({ data })),
        { db: inTransactionOf(db) },
      )
    },

    async declare(kind) {
      const deadLetter = deadLetterOf(kind.queue)
      await ensureQueue(deadLetter, { notify: true })
      const options = {
        retryLimit: kind.retryLimit,
        retryDelay: kind.retryDelaySeconds ?? 0,
        retryBackoff: kind.retryDelaySeconds !== undefined,
        heartbeatSeconds: kind.heartbeatSeconds,
        expireInSeconds: kind.expireInSeconds,
        deadLetter,
        notify: true,
      }
      await ensureQueue(kind.queue, options)
    },

    async work<Payload extends object>(kind: JobKind<Payload>) {
      await jobs.declare(kind)
      worked.add(kind.queue).add(deadLetterOf(kind.queue))
      const workOptions = { batchSize: 1, ...polling }
      const groupLimit =
        kind.perGroup === undefined ? { localGroupConcurrency: 1 } : { groupConcurrency: kind.perGroup }
      for (let index = 0; index < kind.concurrency; index++) {
        let workerId: string | undefined
        workerId = await boss.work<Payload>(kind.queue, { ...workOptions, ...groupLimit }, async ([job]) => {
          if (!job) return
          const work = kind.handle(job.data, AbortSignal.any([job.signal, stopping.signal]))
          running.add(work)
          try {
            await work
          } finally {
            running.delete(work)
          }
          // A pg-boss worker pauses after each job unless it is notified. After a failure the pause is useful.
          if (workerId !== undefined && !stopping.signal.aborted) boss.notifyWorker(workerId)
        })
      }
      await boss.work<Payload>(deadLetterOf(kind.queue), workOptions, async ([job]) => {
        if (job) await kind.onExhausted(job.data)
      })
    },

    async schedule(queue, cron) {
      // Parsing an expression takes longer than everything else that a start does for it.
      if (!schedules.some((one) => one.name === queue && one.cron === cron)) await boss.schedule(queue, cron)
    },

    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  }
  return jobs
}
