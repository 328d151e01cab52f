import { expect, test } from 'vitest'
import { mapLimited } from '../src/map-limited.ts'

/** Calls that end when, and in the order in which, they are told to. */
function calls() {
  const open = new Map<number, () => void>()
  let most = 0
  return {
    open,
    most: () => most,
    map: (item: number) =>
      new Promise<number>((resolve) => {
        open.set(item, () => {
          open.delete(item)
          resolve(item * 10)
        })
        most = Math.max(most, open.size)
      }),
  }
}

test('results keep the order of the items, whoever ends first', async () => {
  const { open, map } = calls()
  const mapping = mapLimited([1, 2], 2, map)
  open.get(2)?.()
  await Promise.resolve()
  open.get(1)?.()
  expect(await mapping).toEqual([10, 20])
})

test('no more than the limit are under way', async () => {
  const { open, map, most } = calls()
  const mapping = mapLimited([1, 2, 3, 4, 5], 2, map)
  for (const item of [1, 2, 3, 4, 5]) {
    await expect.poll(() => open.has(item)).toBe(true)
    open.get(item)?.()
  }
  expect(await mapping).toEqual([10, 20, 30, 40, 50])
  expect(most()).toBe(2)
})

test('nothing maps to nothing, and an error is the caller’s', async () => {
  expect(await mapLimited([], 3, async () => 1)).toEqual([])
  await expect(mapLimited([1], 3, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
})
