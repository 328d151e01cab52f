import { once } from 'node:events'
import { fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { receiveBatches } from './batches.ts'
import { type PoolOptions, ProcessPool } from './pool.ts'
import type { ProbeWork } from './testing/probe-task.ts'
import { PoolFull, taskAt, TaskFailure } from './tasks.ts'

const probe = taskAt<ProbeWork>(new URL('testing/probe-task.ts', import.meta.url))

const openPool = (options: Partial<PoolOptions> = {}) => new ProcessPool({ size: 2, timeoutMs: 20_000, ...options })

const failureOf = async (work: Promise<unknown>): Promise<TaskFailure> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof TaskFailure) return error
  throw new Error('the task did not fail as expected', { cause: error })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('works on one task after the other in one process, without the secrets of this one', async () => {
  await using pool = openPool()
  const runner = pool.runnerFor('a')
  const [pid] = [(await runner.run(probe, { do: 'environment' })) as { pid: number; names: string[] }]
  expect(pid.pid).not.toBe(process.pid)
  expect(pid.names).toEqual(['NODE_COMPILE_CACHE'])
  const value = { text: 'a'.repeat(1_000_000), bytes: new Uint8Array([1, 2]), map: new Map([[1, 'one']]) }
  expect(await runner.run(probe, { do: 'echo', value })).toEqual(value)
  expect(pool.pids).toEqual([pid.pid])
})

test.for(['loop', 'wait'] as const)('kills a process whose task hangs (%s), and replaces it', async (what) => {
  await using pool = openPool()
  const runner = pool.runnerFor('a')
  await runner.run(probe, { do: 'echo', value: 1 })
  const [pid = 0] = pool.pids
  const failure = await failureOf(runner.run(probe, { do: what }, { timeoutMs: 300 }))
  expect(failure).toMatchObject({ reason: 'timeout', problem: 'took longer than 0.3 s to read' })
  expect(isAlive(pid)).toBe(false)
  expect(await runner.run(probe, { do: 'echo', value: 2 })).toBe(2)
})

test('names the step that hangs, and gives every step its time', async () => {
  await using pool = openPool()
  const runner = pool.runnerFor('a')
  await runner.run(probe, { do: 'steps', milliseconds: [1] })
  // Longer together than the deadline, with a margin for a busy machine.
  expect(await runner.run(probe, { do: 'steps', milliseconds: [900, 900, 900] }, { timeoutMs: 2_400 })).toBe(3)
  const failure = await failureOf(runner.run(probe, { do: 'steps', milliseconds: [1, 60_000] }, { timeoutMs: 500 }))
  expect(failure).toMatchObject({ reason: 'timeout', step: 'step 1' })
})

test.for(['fill the heap', 'fill buffers'] as const)('stops a task that exceeds its memory (%s)', async (what) => {
  await using pool = openPool({ maxHeapBytes: 64 * 2 ** 20, maxMemoryBytes: 300 * 2 ** 20 })
  const runner = pool.runnerFor('a')
  const failure = await failureOf(runner.run(probe, { do: what }))
  expect(failure).toMatchObject({ reason: 'memory', problem: 'needed too much memory to read' })
  expect(await runner.run(probe, { do: 'echo', value: 2 })).toBe(2)
})

test('tells an input that nests too deep from a defect', async () => {
  await using pool = openPool()
  const runner = pool.runnerFor('a')
  expect(await failureOf(runner.run(probe, { do: 'nest' }))).toMatchObject({ reason: 'overflow' })
  await expect(runner.run(probe, { do: 'throw' })).rejects.toThrow(/^this is a defect$/)
  expect(pool.pids).toHaveLength(1)
})

test('repeats a task once whose process was killed from outside', async () => {
  await using pool = openPool()
  const runner = pool.runnerFor('a')
  const running = runner.run(probe, { do: 'steps', milliseconds: [1_500] })
  await sleep(300)
  process.kill(pool.pids[0] ?? 0, 'SIGKILL')
  expect(await running).toBe(1)
  const lost = failureOf(runner.run(probe, { do: 'loop' }))
  for (const _ of [1, 2]) {
    await expect.poll(() => pool.pids.length).toBe(1)
    await sleep(300)
    process.kill(pool.pids[0] ?? 0, 'SIGKILL')
    await sleep(300)
  }
  expect(await lost).toMatchObject({ reason: 'lost' })
})

test('answers the questions of a task without counting the time', async () => {
  await using pool = openPool()
  const runner = pool.runnerFor('a')
  await runner.run(probe, { do: 'echo', value: 1 })
  const onAsk = async (question: string) => {
    await sleep(400)
    return question.toUpperCase()
  }
  expect(await runner.run(probe, { do: 'ask', questions: ['a', 'b', 'c'] }, { onAsk, timeoutMs: 600 })).toEqual([
    'A',
    'B',
    'C',
  ])
  const failing = runner.run(probe, { do: 'ask', questions: ['a'] }, { onAsk: () => Promise.reject(new Error('mine')) })
  await expect(failing).rejects.toThrow(/^mine$/)
  expect(await runner.run(probe, { do: 'echo', value: 2 })).toBe(2)
})

test('hands over batches in order, and ends the task when they are no longer read', async () => {
  await using pool = openPool()
  const runner = pool.runnerFor('a')
  const batches = (count: number, thenLoop = false) =>
    receiveBatches<string, unknown>(({ signal, onAsk }) =>
      runner.run(
        probe,
        { do: 'batches', count, thenLoop },
        { signal, onAsk: async (batch) => (await onAsk(batch), '') },
      ),
    )
  const all = batches(50)
  const received: string[] = []
  let next = await all.next()
  for (; next.done !== true; next = await all.next()) received.push(next.value)
  expect(received).toEqual(Array.from({ length: 50 }, (_, index) => String(index)))
  expect(next.value).toBe(50)
  for await (const batch of batches(1_000, true)) if (batch === '10') break
  expect(await runner.run(probe, { do: 'echo', value: 2 })).toBe(2)
})

test('gives a shared value to a process once', async () => {
  await using pool = openPool()
  const runner = pool.runnerFor('a')
  const shared = { paths: ['a', 'b'] }
  expect(await runner.run(probe, { do: 'shared' }, { shared })).toEqual({ shared, times: 1 })
  expect(await runner.run(probe, { do: 'shared' }, { shared })).toEqual({ shared, times: 2 })
  expect(await runner.run(probe, { do: 'shared' })).toBeNull()
  expect(await runner.run(probe, { do: 'shared' }, { shared })).toEqual({ shared, times: 1 })
})

test('abandons a task, and keeps the process if the task ends soon', async () => {
  await using pool = openPool()
  const abort = new AbortController()
  const runner = pool.runnerFor('a', abort.signal)
  await runner.run(probe, { do: 'echo', value: 1 })
  const [pid = 0] = pool.pids
  const running = runner.run(probe, { do: 'loop' })
  setTimeout(() => abort.abort(new Error('no longer needed')), 100)
  await expect(running).rejects.toThrow('no longer needed')
  await expect(runner.run(probe, { do: 'echo', value: 1 })).rejects.toThrow('no longer needed')
  expect(isAlive(pid)).toBe(false)
})

test('keeps a process for the other owners while one floods the pool', async () => {
  await using pool = openPool({ size: 2, maxWaitingOfOwner: 3 })
  const abort = new AbortController()
  const flood = Array.from({ length: 6 }, () => pool.runnerFor('a', abort.signal).run(probe, { do: 'loop' }))
  const ends = Promise.allSettled(flood)
  for (const value of [1, 2, 3]) expect(await pool.runnerFor('b').run(probe, { do: 'echo', value })).toBe(value)
  abort.abort(new Error('enough'))
  const reasons = (await ends).map((end) => (end.status === 'rejected' ? (end.reason as Error) : undefined))
  expect(reasons.filter((reason) => reason instanceof PoolFull)).toHaveLength(2)
  expect(reasons.filter((reason) => reason?.message === 'enough')).toHaveLength(4)
})

test('ends idle processes, and all when it is closed', async () => {
  const pool = openPool({ idleMs: 100 })
  const runner = pool.runnerFor('a')
  runner.warm(probe)
  const [warmed = 0] = pool.pids
  await expect.poll(() => pool.pids).toEqual([])
  expect(isAlive(warmed)).toBe(false)
  const running = runner.run(probe, { do: 'loop' })
  const [busy = 0] = pool.pids
  await sleep(300)
  const ended = expect(running).rejects.toThrow('the server is stopping')
  await pool[Symbol.asyncDispose]()
  await ended
  expect(isAlive(busy)).toBe(false)
  await expect(runner.run(probe, { do: 'echo', value: 1 })).rejects.toThrow('the server is stopping')
})

test('leaves no process after kill -9 of its parent, also if a task hangs', async () => {
  const parent = fork(new URL('./testing/parent.ts', import.meta.url), { env: { PATH: process.env['PATH'] } })
  const [pids] = (await once(parent, 'message')) as [number[]]
  expect(pids.every(isAlive)).toBe(true)
  expect(pids).toHaveLength(2)
  parent.kill('SIGKILL')
  await expect.poll(() => pids.filter(isAlive)).toEqual([])
})

test('does not keep its parent from ending', async () => {
  const parent = fork(new URL('./testing/parent.ts', import.meta.url), ['idle'], { env: { PATH: process.env['PATH'] } })
  const [[pids], [code]] = (await Promise.all([once(parent, 'message'), once(parent, 'exit')])) as [
    [number[]],
    [number],
  ]
  expect(code).toBe(0)
  await expect.poll(() => pids.filter(isAlive)).toEqual([])
})
