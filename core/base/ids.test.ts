import { expect, test } from 'vitest'
import { ulidFactory } from './ids.ts'

test('ids are new, sort in the order of their creation, and use all characters at random', () => {
  const newId = ulidFactory()
  const ids = Array.from({ length: 30_000 }, (_, made) => newId(new Date(1_700_000_000_000 + Math.floor(made / 3))))
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  // The first of each millisecond is random, and the next ones count on from it.
  const counts = Map.groupBy(
    ids.filter((_, made) => made % 3 === 0).flatMap((id) => Array.from(id.slice(10))),
    (character) => character,
  )
  const shares = [...counts.values()].map(({ length }) => length / 160_000)
  expect(shares).toHaveLength(32)
  // Each is expected to have a share of 1/32, within 10 standard deviations.
  for (const share of shares) expect(Math.abs(share - 1 / 32)).toBeLessThan(0.0044)
})
