import { fork } from 'node:child_process'
import { once } from 'node:events'
import { pino } from 'pino'
import { DataSource } from 'typeorm'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { type JobKind, startJobs } from './jobs.ts'

const log = pino({ level: 'silent' })
const kind: Omit<JobKind<{ n: number }>, 'handle'> = {
  queue: 'numbers',
  retryLimit: 2,
  heartbeatSeconds: 10,
  expireInSeconds: 60,
  concurrency: 2,
  onExhausted: async () => {},
}

async function setUp() {
  await using opened = new AsyncDisposableStack()
  const { url } = opened.use(await createTestDatabase())
  const dataSource = await new DataSource({ type: 'postgres', url }).initialize()
  opened.defer(() => dataSource.destroy())
  const jobs = opened.use(await startJobs({ databaseUrl: url, log }))
  const stack = opened.move()
  return { url, dataSource, jobs, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('adds a job only if its transaction commits', async () => {
  await using context = await setUp()
  const { jobs, dataSource } = context
  const seen: number[] = []
  await jobs.work<{ n: number }>({ ...kind, handle: async ({ n }) => void seen.push(n) })
  await dataSource.transaction(async (db) => {
    await jobs.enqueue(db, 'numbers', { n: 1 })
    await db.query('ROLLBACK')
    await db.query('BEGIN')
  })
  await dataSource.transaction((db) => jobs.enqueue(db, 'numbers', { n: 2 }))
  await expect.poll(() => seen).toEqual([2])
})

test('runs jobs of one group sequentially, and groups in parallel', async () => {
  await using context = await setUp()
  const { jobs, dataSource } = context
  const running = new Set<string>()
  const overlaps: string[][] = []
  let done = 0
  await jobs.work<{ n: number; group: string }>({
    ...kind,
    onExhausted: async () => {},
    async handle({ group }) {
      overlaps.push([...running, group])
      running.add(group)
      await new Promise((resolve) => setTimeout(resolve, 300))
      running.delete(group)
      done++
    },
  })
  for (const [n, group] of ['a', 'a', 'b'].entries()) {
    await jobs.enqueue(dataSource.manager, 'numbers', { n, group }, { group })
  }
  await expect.poll(() => done).toBe(3)
  expect(overlaps.every((groups) => new Set(groups).size === groups.length)).toBe(true)
})

test('runs queued jobs without pauses', async () => {
  await using context = await setUp()
  const { jobs, dataSource } = context
  const seen: number[] = []
  await jobs.work<{ n: number }>({ ...kind, handle: async ({ n }) => void seen.push(n) })
  const payloads = Array.from({ length: 100 }, (_, n) => ({ n }))
  await dataSource.transaction((db) => jobs.enqueueAll(db, 'numbers', payloads))
  await expect.poll(() => seen.length).toBe(100)
  expect(new Set(seen).size).toBe(100)
})

test('stops retrying a handler that always fails', async () => {
  await using context = await setUp()
  const { jobs, dataSource } = context
  let attempts = 0
  const givenUp: number[] = []
  await jobs.work<{ n: number }>({
    ...kind,
    async handle() {
      attempts++
      throw new Error('always')
    },
    onExhausted: async ({ n }) => void givenUp.push(n),
  })
  await jobs.enqueue(dataSource.manager, 'numbers', { n: 7 })
  await expect.poll(() => givenUp).toEqual([7])
  expect(attempts).toBe(3)
})

test('signals handlers when the program stops, and the next process repeats the job', async () => {
  await using context = await setUp()
  const { jobs, dataSource, url } = context
  let aborted = false
  const begun = Promise.withResolvers<void>()
  await jobs.work<{ n: number }>({
    ...kind,
    handle: (_, signal) =>
      new Promise((_resolve, reject) => {
        begun.resolve()
        signal.addEventListener('abort', () => {
          aborted = true
          reject(signal.reason)
        })
      }),
  })
  await jobs.enqueue(dataSource.manager, 'numbers', { n: 3 })
  await begun.promise
  await jobs.stop()
  expect(aborted).toBe(true)

  const seen: number[] = []
  await using next = await startJobs({ databaseUrl: url, log })
  await next.work<{ n: number }>({ ...kind, handle: async ({ n }) => void seen.push(n) })
  await expect.poll(() => seen).toEqual([3])
})

test('does not begin a job again while the program stops', async () => {
  await using context = await setUp()
  const { jobs, dataSource } = context
  const bothBegun = Promise.withResolvers<void>()
  const begun: number[] = []
  await jobs.work<{ n: number }>({
    ...kind,
    async handle({ n }, signal) {
      begun.push(n)
      if (begun.length === 2) bothBegun.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      // The second job keeps the program running for longer than a worker pauses.
      if (n === 2) await new Promise((resolve) => setTimeout(resolve, 4_000))
      throw new Error('The program stops.')
    },
  })
  for (const n of [1, 2]) await jobs.enqueue(dataSource.manager, 'numbers', { n })
  await bothBegun.promise
  await jobs.stop()
  expect(begun.toSorted()).toEqual([1, 2])
})

test('repeats the job of a killed process after its heartbeat stops', async () => {
  await using context = await setUp()
  const { jobs, dataSource, url } = context
  const worker = fork(new URL('../testing/stuck-worker.ts', import.meta.url), [url], { stdio: 'ignore' })
  await once(worker, 'message')
  await jobs.enqueue(dataSource.manager, 'numbers', { n: 5 })
  await once(worker, 'message')
  worker.kill('SIGKILL')
  const seen: number[] = []
  await jobs.work<{ n: number }>({ ...kind, handle: async ({ n }) => void seen.push(n) })
  await expect.poll(() => seen, { interval: 200 }).toEqual([5])
})

test('a start writes a schedule only if it is new or has changed', async () => {
  await using context = await setUp()
  const { jobs, dataSource, url } = context
  const written = () =>
    dataSource.query<{ cron: string; updatedOn: Date }[]>(
      `SELECT cron, updated_on AS "updatedOn" FROM pgboss.schedule WHERE name = 'numbers'`,
    )
  await jobs.declare(kind)
  await jobs.schedule('numbers', '5 4 * * *')
  const first = await written()
  await jobs.stop()

  await using next = await startJobs({ databaseUrl: url, log })
  await next.schedule('numbers', '5 4 * * *')
  expect(await written()).toEqual(first)
  await next.schedule('numbers', '6 4 * * *')
  expect(await written()).toMatchObject([{ cron: '6 4 * * *' }])
})
