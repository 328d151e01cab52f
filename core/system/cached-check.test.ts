import { expect, test } from 'vitest'
import { keptCheck } from './kept-check.ts'

function controlled() {
  const looks: ((result: string) => void)[] = []
  const look = () => new Promise<string>((resolve) => void looks.push(resolve))
  return { looks, look }
}

test('nobody waits longer than the patience, and meanwhile nobody looks again', async () => {
  const { looks, look } = controlled()
  const check = keptCheck({ look, late: 'late', patienceMs: 5, keptMs: () => 60_000 })
  expect(await Promise.all([check(), check()])).toEqual(['late', 'late'])
  expect(await check()).toBe('late')
  expect(looks).toHaveLength(1)
  looks[0]?.('fine')
  expect(await check()).toBe('fine')
  expect(await check()).toBe('fine')
  expect(looks).toHaveLength(1)
})

test('what is not kept any more is looked for again', async () => {
  let looks = 0
  const check = keptCheck({
    look: () => Promise.resolve(++looks),
    late: 0,
    patienceMs: 5_000,
    keptMs: (result) => (result === 1 ? 0 : 60_000),
  })
  expect([await check(), await check(), await check()]).toEqual([1, 2, 2])
})
