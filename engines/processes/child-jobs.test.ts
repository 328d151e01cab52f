import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type JobOptions, runInChildProcess, UnansweredJob } from './child-jobs.ts'
import type { Counted, CountingJob } from './testing/counting-job.ts'

const program = fileURLToPath(new URL('testing/counting-job.ts', import.meta.url))

const run = (job: CountingJob['do'], options: JobOptions<string> = {}) =>
  runInChildProcess<Counted, string>(program, { do: job } satisfies CountingJob, options)

async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('each job has a process of its own, which has ended when the answer is here', async () => {
  const [first, second] = [await run('count'), await run('count')]
  expect([first.jobs, second.jobs]).toEqual([1, 1])
  expect(second.pid).not.toBe(first.pid)
  expect([isAlive(first.pid), isAlive(second.pid)]).toEqual([false, false])
})

test('a kept process does the next job of its key, with its events and questions', async () => {
  const first = await run('count', { keepFor: 'shop' })
  const events: string[] = []
  const onEvent = (event: string) => void events.push(event)
  const second = await run('ask', { keepFor: 'shop', onEvent, onAsk: (question) => Promise.resolve([question, 42]) })
  expect(second).toEqual({ pid: first.pid, jobs: 2, answer: ['how many?', 42] })
  expect(events).toEqual(['job 2'])
  const other = await run('count', { keepFor: 'store' })
  expect(other.pid).not.toBe(first.pid)
  // One process is kept: that of the latest job.
  await untilGone(first.pid)
  expect(await run('count', { keepFor: 'store' })).toEqual({ pid: other.pid, jobs: 2 })
})

test('jobs at the same time do not share a process', async () => {
  const both = await Promise.all([run('count', { keepFor: 'both' }), run('count', { keepFor: 'both' })])
  expect(both.map(({ jobs }) => jobs)).toEqual([1, 1])
  expect(both[0].pid).not.toBe(both[1].pid)
})

test('a process that ended while it was kept is replaced', async () => {
  const first = await run('count', { keepFor: 'killed' })
  process.kill(first.pid, 'SIGKILL')
  const second = await run('count', { keepFor: 'killed' })
  expect(second.jobs).toBe(1)
  expect(second.pid).not.toBe(first.pid)
})

test('a process whose job failed, crashed or was cancelled is not kept', async () => {
  const first = await run('count', { keepFor: 'bad' })
  await expect(run('fail', { keepFor: 'bad' })).rejects.toThrow('The job failed.')
  await untilGone(first.pid)
  await expect(run('crash', { keepFor: 'bad' })).rejects.toThrow(UnansweredJob)

  const third = await run('count', { keepFor: 'bad' })
  expect(third.jobs).toBe(1)
  const cancelling = new AbortController()
  const options = { keepFor: 'bad', signal: cancelling.signal, onEvent: () => cancelling.abort(new Error('cancelled')) }
  await expect(run('wait', options)).rejects.toThrow('cancelled')
  await untilGone(third.pid)
  expect((await run('count', { keepFor: 'bad' })).jobs).toBe(1)
})

test('a job that takes too long ends its process, kept or not', async () => {
  const first = await run('count', { keepFor: 'slow' })
  const error: unknown = await run('wait', { keepFor: 'slow', timeoutMs: 200 }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'UnansweredJob', timedOut: true })
  await untilGone(first.pid)
})
