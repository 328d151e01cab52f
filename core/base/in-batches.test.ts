import { expect, test } from 'vitest'
import { inBatches } from './in-batches.ts'

test('runs concurrent calls in few batches and returns to each call its result', async () => {
  const batches: number[] = []
  const double = inBatches(
    async (numbers: number[]) => {
      batches.push(numbers.length)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return numbers.map((number) => 2 * number)
    },
    { size: 40, parallel: 1, retriesAlone: false },
  )
  const numbers = Array.from({ length: 100 }, (_, index) => index)
  expect(await Promise.all(numbers.map(double))).toEqual(numbers.map((number) => 2 * number))
  expect(batches).toEqual([1, 40, 40, 19])
})

test('tries the items of a failed batch again alone, if wanted, and otherwise fails all of them', async () => {
  const refuseOdd = async (numbers: number[]) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (numbers.some((number) => number % 2 === 1)) throw new Error('odd')
    return numbers
  }
  const outcomes = async (retriesAlone: boolean) => {
    const pass = inBatches(refuseOdd, { size: 10, parallel: 1, retriesAlone })
    const settled = await Promise.allSettled([0, 1, 2, 4].map(pass))
    return settled.map(({ status }) => status)
  }
  expect(await outcomes(true)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(await outcomes(false)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
})
