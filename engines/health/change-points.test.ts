import { expect, test } from 'vitest'
import { findDurationSteps } from './change-points.ts'

/** Random numbers that depend only on the seed. */
function seeded(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

interface Series {
  noise: number
  outliers?: number
  size?: number
  /** The factor of the middle of the test at each place from 0 to 1. */
  factor?: (place: number) => number
}

function series({ noise, outliers = 0.03, size = 300, factor = () => 1 }: Series, seed: number) {
  const random = seeded(seed)
  const normal = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())
  return Array.from({ length: size }, (_, at) => {
    const outlier = random() < outliers ? 5 : 1
    return { at, ms: 100 * factor(at / size) * Math.exp(noise * normal()) * outlier }
  })
}

const times = 300
const shareOf = (made: Series, matches: (steps: ReturnType<typeof findDurationSteps>) => boolean) => {
  let count = 0
  for (let seed = 1; seed <= times; seed++) if (matches(findDurationSteps(series(made, seed * 7_919)))) count++
  return count / times
}
const any = (steps: readonly unknown[]) => steps.length > 0

test.each([0.1, 0.3, 0.5])('noise of %d without a step shows none in 99 of 100 series', (noise) => {
  expect(shareOf({ noise, size: 1_000 }, any)).toBeLessThanOrEqual(0.01)
})

test.each([
  [0.1, 1.3, 0.99],
  [0.1, 2, 0.99],
  [0.3, 1.5, 0.95],
  [0.3, 2, 0.99],
  [0.5, 2, 0.95],
])('with a noise of %d, a step by %d is found in more than %d of the series, where it is', (noise, step, share) => {
  const isFound = shareOf({ noise, factor: (place) => (place < 0.6 ? 1 : step) }, (steps) => {
    const [first] = steps
    return steps.length === 1 && first !== undefined && Math.abs(first.at - 180) <= 15
  })
  expect(isFound).toBeGreaterThanOrEqual(share)
})

test('a slow drift has no step', () => {
  expect(shareOf({ noise: 0.1, factor: (place) => 1 + place }, any)).toBeLessThanOrEqual(0.05)
})

test('two steps, a step back, and tiny tests', () => {
  const up = series({ noise: 0.05, factor: (place) => (place < 0.3 ? 1 : place < 0.6 ? 3 : 1) }, 5)
  expect(findDurationSteps(up).map(({ at, ratio }) => [Math.round(at / 30), ratio > 1])).toEqual([
    [3, true],
    [6, false],
  ])
  const tiny = series({ noise: 0.1, factor: (place) => (place < 0.5 ? 0.01 : 0.03) }, 6)
  expect(findDurationSteps(tiny)).toEqual([])
  expect(findDurationSteps([])).toEqual([])
  expect(findDurationSteps(up.slice(0, 19))).toEqual([])
})
