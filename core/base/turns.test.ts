import { expect, test, vi } from 'vitest'
import type { Lane } from '../work.ts'
import { createTurns, type Turn } from './turns.ts'

const unlimited: Lane = {
  noun: 'calls',
  maxRunningPerCaller: 2,
  maxRunning: 3,
  maxWaitingPerCaller: 5,
  maxWaitMs: 60_000,
  rests: false,
}
const signal = new AbortController().signal

/** Calls that end when the test says so. */
function scene(change: Partial<Lane> = {}) {
  const turns = createTurns({ lane: { ...unlimited, ...change } })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const call = (caller: string, name: string, given = signal, pause?: (turn: Turn) => Promise<void>) =>
    turns.run('lane', caller, given, async (turn) => {
      started.push(name)
      await pause?.(turn)
      await new Promise<void>((resolve) => void ends.set(name, resolve))
      return name
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await settle()
  }
  return { call, end, started }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('runs a limited number of calls of each caller and in total, and callers take turns', async () => {
  const { call, end, started } = scene()
  const calls = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => call(name[0] ?? '', name))
  await settle()
  expect(started).toEqual(['a1', 'a2', 'b1'])
  await end('a1')
  expect(started.at(-1)).toBe('a3')
  await end('a2')
  expect(started.at(-1)).toBe('b2')
  await end('a3')
  expect(started.at(-1)).toBe('c1')
  await end('b1')
  expect(started.at(-1)).toBe('a4')
  for (const name of ['b2', 'c1', 'a4']) await end(name)
  expect(await Promise.all(calls)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'])
})

test('refuses more waiting calls with 429, and a call that waits too long with 429 or 503', async () => {
  const { call, end } = scene({ maxWaitingPerCaller: 1, maxWaitMs: 20 })
  const running = [call('a', 'a1'), call('a', 'a2'), call('b', 'b1')]
  const [late, other] = [call('a', 'a3'), call('b', 'b2')].map((call) => call.catch((error: unknown) => error))
  await expect(call('a', 'a4')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 2 })
  expect(await late).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringContaining('Send fewer') })
  expect(await other).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('of other callers') })
  for (const name of ['a1', 'a2', 'b1']) await end(name)
  await Promise.all(running)
  const last = call('a', 'a5')
  await settle()
  await end('a5')
  expect(await last).toBe('a5')
})

test('a call of a disconnected client does not start', async () => {
  const { call, end, started } = scene({ maxRunning: 1 })
  const first = call('a', 'a1')
  const gone = new AbortController()
  const second = call('a', 'a2', gone.signal)
  gone.abort()
  await expect(second).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await end('a1')
  await first
  expect(started).toEqual(['a1'])
})

test('a call that only waits leaves its turn to others, and then continues before new calls', async () => {
  const { call, end, started } = scene({ maxRunning: 1 })
  const waited = Promise.withResolvers<void>()
  const first = call('a', 'a1', signal, async (turn) => {
    await turn.pause(() => waited.promise)
    started.push('a1 again')
  })
  const others = [call('a', 'a2'), call('a', 'a3')]
  await settle()
  expect(started).toEqual(['a1', 'a2'])
  waited.resolve()
  await settle()
  expect(started).toEqual(['a1', 'a2'])
  await end('a2')
  expect(started).toEqual(['a1', 'a2', 'a1 again'])
  await end('a1')
  await end('a3')
  expect(await Promise.all([first, ...others])).toEqual(['a1', 'a2', 'a3'])
})

test('in a lane with rests, calls that waited need no rest, and continue in their order', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  try {
    const { call, end, started } = scene({ maxRunningPerCaller: 1, maxRunning: 1, rests: true })
    const waited = Promise.withResolvers<void>()
    const names = ['a1', 'a2', 'a3']
    const calls = names.map((name) =>
      call('a', name, signal, async (turn) => {
        await turn.pause(() => waited.promise)
        started.push(`${name} again`)
      }),
    )
    await settle()
    vi.advanceTimersByTime(30_000)
    waited.resolve()
    await settle()
    // No time passes, so that a rest would have no end.
    for (const name of names) await end(name)
    expect(started).toEqual([...names, ...names.map((name) => `${name} again`)])
    expect(await Promise.all(calls)).toEqual(names)
  } finally {
    vi.useRealTimers()
  }
})

test('in a lane with rests, a caller whose calls wait pauses, while others start at once', async () => {
  const { call, end, started } = scene({ maxRunningPerCaller: 1, maxRunning: 1, rests: true })
  const calls = [call('a', 'a1'), call('a', 'a2')]
  await new Promise((resolve) => setTimeout(resolve, 100))
  calls.push(call('b', 'b1'))
  await end('a1')
  expect(started).toEqual(['a1', 'b1'])
  await end('b1')
  expect(started).toEqual(['a1', 'b1'])
  await expect.poll(() => started).toEqual(['a1', 'b1', 'a2'])
  await end('a2')
  calls.push(call('b', 'b2'))
  await settle()
  await end('b2')
  expect(await Promise.all(calls)).toEqual(['a1', 'a2', 'b1', 'b2'])
})
