import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atMost } from './at-most.ts'

test('never more are under way than that, each begins in its turn, and one that fails makes room, too', async () => {
  const inTurn = atMost(2)
  const begun: number[] = []
  let running = 0
  let most = 0
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      inTurn(async () => {
        begun.push(index)
        most = Math.max(most, ++running)
        await sleep(1)
        running--
        if (index % 3 === 0) throw new Error('no')
        return index
      }),
    ),
  )
  expect(most).toBe(2)
  expect(begun).toEqual(begun.toSorted((a, b) => a - b))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(13)
})
