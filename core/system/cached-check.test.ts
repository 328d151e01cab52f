import { expect, test } from 'vitest'
import { cachedCheck } from './cached-check.ts'

test('answers after the timeout, runs one check at a time, and caches the result', async () => {
  const runs: ((result: string) => void)[] = []
  const check = cachedCheck({
    check: () => new Promise<string>((resolve) => void runs.push(resolve)),
    late: 'late',
    timeoutMs: 5,
    cacheMs: 60_000,
  })
  expect(await Promise.all([check(), check()])).toEqual(['late', 'late'])
  expect(await check()).toBe('late')
  expect(runs).toHaveLength(1)
  runs[0]?.('fine')
  expect(await check()).toBe('fine')
  expect(await check()).toBe('fine')
  expect(runs).toHaveLength(1)
})

test('runs the check again when the cached result has expired', async () => {
  let runs = 0
  const check = cachedCheck({ check: () => Promise.resolve(++runs), late: 0, timeoutMs: 5_000, cacheMs: 0 })
  expect([await check(), await check(), await check()]).toEqual([1, 2, 3])
})
