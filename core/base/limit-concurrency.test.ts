import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { limitConcurrency } from './limit-concurrency.ts'

test('runs at most this many tasks at a time, in order, and a failed task frees its slot', async () => {
  const limited = limitConcurrency(2)
  const begun: number[] = []
  let running = 0
  let maxRunning = 0
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      limited(async () => {
        begun.push(index)
        maxRunning = Math.max(maxRunning, ++running)
        await sleep(1)
        running--
        if (index % 3 === 0) throw new Error('no')
        return index
      }),
    ),
  )
  expect(maxRunning).toBe(2)
  expect(begun).toEqual(begun.toSorted((a, b) => a - b))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(13)
})
