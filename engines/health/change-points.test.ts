import { expect, test } from 'vitest'
import type { DurationPoint } from './change-points.ts'
import { findDurationSteps } from './change-points.ts'
import { makeSeries, randomNumbers, type SeriesShape } from './testing/series.ts'

const minute = 60_000
const pointsOf = (durations: readonly number[]): DurationPoint[] =>
  durations.map((ms, index) => ({ at: index * minute, ms }))
const repeated = (ms: number, count: number) => Array.from({ length: count }, (_, index) => ms + (index % 3))

test('finds a step with the medians of both sides', () => {
  expect(findDurationSteps(pointsOf([...repeated(100, 50), ...repeated(200, 50)]))).toEqual([
    { at: 50 * minute, before: 101, after: 201, ratio: 201 / 101 },
  ])
})

test('finds a regression and its fix', () => {
  const steps = findDurationSteps(pointsOf([...repeated(100, 60), ...repeated(160, 20), ...repeated(80, 60)]))
  expect(steps.map(({ at, before, after }) => [at / minute, before, after])).toEqual([
    [60, 101, 161],
    [80, 161, 81],
  ])
})

test('the order of points does not matter', () => {
  const points = pointsOf([...repeated(100, 50), ...repeated(200, 50)])
  expect(findDurationSteps(points.toReversed())).toEqual(findDurationSteps(points))
})

test.each([
  ['less than 20 %', [...repeated(1_000, 100), ...repeated(1_190, 100)]],
  ['less than 5 ms', [...repeated(2, 100), ...repeated(6, 100)]],
  ['less than 10 points', [...repeated(100, 100), ...repeated(300, 9)]],
  ['outliers only', [...repeated(100, 60), 900, 800, 950, ...repeated(100, 60)]],
  ['a run of slow points', [...repeated(100, 100), ...repeated(500, 7), ...repeated(100, 100)]],
  ['equal', repeated(0, 200)],
  ['few points', [...repeated(100, 9), ...repeated(500, 9)]],
  ['no points', []],
])('a change of %s is no step', (_name, durations) => {
  expect(findDurationSteps(pointsOf(durations))).toEqual([])
})

test('a step of 10 points at the end is found', () => {
  const [step] = findDurationSteps(pointsOf([...repeated(100, 100), ...repeated(300, 10)]))
  expect(step?.at).toBe(100 * minute)
})

test('durations of 0 and values that are no numbers do no harm', () => {
  const points = [
    ...pointsOf([...repeated(0, 50).map(() => 0), ...repeated(50, 50)]),
    { at: NaN, ms: 5 },
    { at: 5, ms: Infinity },
  ]
  expect(findDurationSteps(points)).toEqual([{ at: 50 * minute, before: 1, after: 51, ratio: 51 }])
})

const noises = [0.1, 0.2, 0.3, 0.5]
/** 1,000 series of each shape tell the rates in the description of `findDurationSteps`. The suite takes fewer. */
const seriesPerNoise = 40
const count = 1_000

type Shape = (random: () => number) => Omit<SeriesShape, 'count' | 'noise'>

const wave =
  (amplitude: number, period: number): Shape =>
  (random) => {
    const phase = random() * 2 * Math.PI
    return { level: (position) => 1 + amplitude * Math.sin(phase + (2 * Math.PI * position) / period) }
  }

/** A third of each period is slower, as at night. */
const alternating =
  (ratio: number, period: number): Shape =>
  (random) => {
    const phase = random() * period
    return { level: (position) => ((position + phase) % period < period / 3 ? ratio : 1) }
  }

const shapes: [name: string, shape: Shape][] = [
  ['noise and outliers', () => ({})],
  ['noise that depends on the point before', () => ({ memory: 0.5 })],
  ['a drift to 1.5 times', () => ({ level: (position) => 1.5 ** (position / count) })],
  ['a drift to twice', () => ({ level: (position) => 2 ** (position / count) })],
  ['a wave of 30 % each 7 points', wave(0.3, 7)],
  ['a wave of 30 % each 24 points', wave(0.3, 24)],
  ['a wave of 30 % each 100 points', wave(0.3, 100)],
  ['a wave of 15 % each 500 points', wave(0.15, 500)],
  ['a change of 50 % each 24 points', alternating(1.5, 24)],
  ['a change of 50 % each 50 points', alternating(1.5, 50)],
  ['two usual durations', (random) => ({ level: () => (random() < 0.4 ? 2 : 1) })],
]

test('series without a step rarely have one', () => {
  const random = randomNumbers(21)
  const seriesOf = (shape: Shape) =>
    noises.flatMap((noise) =>
      Array.from({ length: seriesPerNoise }, () => makeSeries({ count, noise, ...shape(random) }, random)),
    )
  const found = shapes.map(([name, shape]) => ({
    name,
    share: seriesOf(shape).filter((series) => findDurationSteps(series).length > 0).length / (4 * seriesPerNoise),
  }))
  expect(found.filter(({ share }) => share > 0.015)).toEqual([])
  expect(found.reduce((sum, { share }) => sum + share, 0) / found.length).toBeLessThan(0.005)
})

test('two durations that take turns without noise are no steps', () => {
  const random = randomNumbers(21)
  for (const share of [0.1, 0.25, 0.5]) {
    const points = pointsOf(Array.from({ length: count }, () => (random() < share ? 30 : 20)))
    expect(findDurationSteps(points)).toEqual([])
  }
})

/** The least share of steps that is found within 25 points, by noise. */
test.each([
  [1.3, [1, 0.9, 0.7, 0]],
  [1.5, [1, 1, 0.95, 0.6]],
  [2, [1, 1, 1, 0.95]],
])('finds most steps to %d times', (ratio, shares) => {
  const random = randomNumbers(21)
  const found = noises.map((noise) => {
    const places = Array.from({ length: seriesPerNoise }, () => Math.floor(count * (0.1 + 0.8 * random())))
    const hits = places.filter((place) => {
      const level = (position: number) => (position < place ? 1 : ratio)
      const steps = findDurationSteps(makeSeries({ count, noise, level }, random))
      return steps.some(({ at }) => Math.abs(at / minute - place) <= 25)
    })
    return hits.length / seriesPerNoise
  })
  expect(found.map((share, index) => share >= (shares[index] ?? 1))).toEqual([true, true, true, true])
})
