import type { Logger } from 'pino'
import { isDeepStrictEqual } from 'node:util'
import { PgBoss, type Queue } from 'pg-boss'
import type { EntityManager } from 'typeorm'

/** A kind of background work: its queue, how it is retried, and what is done. */
export interface JobKind<Payload extends object> {
  queue: string
  /** Attempts after the first. A process that died uses one up, and a handler that throws. */
  retryLimit: number
  /** How long to wait before the first of them; each further wait is twice as long. Absent: not at all. */
  retryDelaySeconds?: number
  /** A worker that is silent for so long is dead, and its job is taken up again. At least 10. */
  heartbeatSeconds: number
  /** The longest that one attempt may take. */
  expireInSeconds: number
  /** How many of them one process works on at once. */
  concurrency: number
  /** How many of one group all processes together work on at once. Absent: one in each process. */
  perGroup?: number
  handle: (payload: Payload, signal: AbortSignal) => Promise<void>
  /** Called once every attempt is used up, so that the record does not stay unfinished for ever. */
  onExhausted: (payload: Payload) => Promise<void>
}

declare module '../base/context.ts' {
  interface Services {
    jobs: Jobs
  }
}

/** The queue. Jobs live in Postgres beside the data, so that a job and its cause are written in one transaction. */
export interface Jobs extends AsyncDisposable {
  /**
   * Adds a job in the caller's transaction: it exists if, and only if, that transaction commits. Of one group no more
   * are worked on at once than `perGroup` says.
   */
  enqueue(db: EntityManager, queue: string, payload: object, options?: { group?: string }): Promise<void>
  /** As `enqueue`, a job for each payload. */
  enqueueAll(db: EntityManager, queue: string, payloads: object[]): Promise<void>
  /** Makes the queue known, so that jobs can be added; who takes them up may come later. */
  declare(
    kind: Pick<JobKind<object>, 'queue' | 'retryLimit' | 'retryDelaySeconds' | 'heartbeatSeconds' | 'expireInSeconds'>,
  ): Promise<void>
  /** Takes up work of this kind. */
  work<Payload extends object>(kind: JobKind<Payload>): Promise<void>
  /** Adds a job of this queue, without payload, whenever the cron expression (UTC) says so; once, however many processes ask. */
  schedule(queue: string, cron: string): Promise<void>
  /** Takes no new work, lets handlers know through their signal, and waits until they have let go. */
  stop(): Promise<void>
}

export interface JobsOptions {
  databaseUrl: string
  log: Logger
}

/** New jobs announce themselves; retries and those of a dead process are found by looking. */
const polling = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 1 }

const inTransactionOf = (db: EntityManager) => ({
  executeSql: async (text: string, values?: unknown[]) => ({ rows: await db.query<unknown[]>(text, values) }),
})

const deadLetterOf = (queue: string) => `${queue}-dead`

export async function startJobs({ databaseUrl, log }: JobsOptions): Promise<Jobs> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'assay-jobs',
    max: 4,
    useListenNotify: true,
    monitorIntervalSeconds: 2,
    superviseIntervalSeconds: 2,
  })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  boss.on('warning', (warning) => log.warn({ warning }, 'job queue'))
  await boss.start()

  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let stopped: Promise<void> | undefined

  const stop = async () => {
    stopping.abort(new Error('The program is stopping.'))
    await Promise.allSettled(running)
    await boss.stop({ graceful: true, timeout: 10_000 })
  }

  // Every start declares the same queues: one query tells which of them are new or changed.
  const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  const ensureQueue = async (name: string, options: Omit<Queue, 'name'>) => {
    const queue = known.get(name)
    if (queue && isDeepStrictEqual({ ...queue, ...options }, queue)) return
    if (!queue) await boss.createQueue(name, options)
    await boss.updateQueue(name, options)
  }

  const jobs: Jobs = {
    async enqueue(db, queue, payload, options = {}) {
      await boss.send(queue, payload, {
        ...(options.group ? { group: { id: options.group } } : {}),
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
      const workOptions = { batchSize: 1, ...polling }
      const turns = kind.perGroup === undefined ? { localGroupConcurrency: 1 } : { groupConcurrency: kind.perGroup }
      for (let index = 0; index < kind.concurrency; index++) {
        let workerId: string | undefined
        workerId = await boss.work<Payload>(kind.queue, { ...workOptions, ...turns }, async ([job]) => {
          if (!job) return
          const work = kind.handle(job.data, AbortSignal.any([job.signal, stopping.signal]))
          running.add(work)
          try {
            await work
          } finally {
            running.delete(work)
          }
          // Left to itself, a worker that takes one at a time rests after each. One that failed may rest: it would have
          // the same job again, and use up its attempts while the program stops.
          if (workerId !== undefined && !stopping.signal.aborted) boss.notifyWorker(workerId)
        })
      }
      await boss.work<Payload>(deadLetterOf(kind.queue), workOptions, async ([job]) => {
        if (job) await kind.onExhausted(job.data)
      })
    },

    async schedule(queue, cron) {
      await boss.schedule(queue, cron)
    },

    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  }
  return jobs
}
