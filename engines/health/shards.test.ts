import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planShards, type TimedFile } from './shards.ts'

const file = (path: string, ms: number | null, tests = 1): TimedFile => ({ path, ms, tests })

test('divides files by their durations', () => {
  const files = [file('a', 60), file('b', 50), file('c', 40), file('d', 30), file('e', 20)]
  expect(planShards(files, 2)).toEqual([
    { files: ['a', 'd', 'e'], ms: 110, tests: 3 },
    { files: ['b', 'c'], ms: 90, tests: 2 },
  ])
})

test('files with an unknown duration count with the median of the known tests', () => {
  expect(planShards([file('a', 100, 10), file('b', null, 5), file('c', null, 6)], 2)).toEqual([
    { files: ['a'], ms: 100, tests: 10 },
    { files: ['b', 'c'], ms: 110, tests: 11 },
  ])
  // Those of files that are not divided count, too.
  expect(planShards([file('b', null, 5)], 1, [file('a', 100, 10)])).toMatchObject([{ ms: 50 }])
  expect(planShards([file('a', null)], 3)).toMatchObject([{ files: ['a'] }, { files: [] }, { files: [] }])
})

test('no file is lost or doubled, and no shard takes more than 4/3 of the best time', () => {
  const files = fc.uniqueArray(fc.record({ path: fc.string(), ms: fc.nat(10_000), tests: fc.nat(50) }), {
    selector: ({ path }) => path,
    maxLength: 9,
  })
  fc.assert(
    fc.property(files, fc.integer({ min: 1, max: 3 }), (given, count) => {
      const shards = planShards(given, count)
      expect(shards.flatMap((shard) => shard.files).toSorted()).toEqual(given.map(({ path }) => path).toSorted())
      expect(planShards(given.toReversed(), count)).toEqual(shards)
      const longest = Math.max(...shards.map(({ ms }) => ms))
      expect(longest).toBeLessThanOrEqual(
        (4 / 3) *
          bestOf(
            given.map(({ ms }) => ms),
            count,
          ) +
          1e-6,
      )
    }),
  )
})

/** The shortest possible time, by trying all divisions. */
function bestOf(times: readonly number[], count: number, shards: readonly number[] = Array(count).fill(0)): number {
  const [first, ...rest] = times
  if (first === undefined) return Math.max(...shards)
  return Math.min(...shards.map((time, index) => bestOf(rest, count, shards.with(index, time + first))))
}
