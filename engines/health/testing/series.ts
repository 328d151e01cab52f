import type { DurationPoint } from '../change-points.ts'

/** What the durations of a test look like, before noise. */
export interface SeriesShape {
  count: number
  /** The standard deviation of the logarithms. */
  noise: number
  /** How much longer than usual the test takes at a position. */
  level?: (position: number) => number
  /** The share of noise that a point has in common with the one before. */
  memory?: number
}

const usualMs = 200
const outlierShare = 0.03
const outlierFactor = 5

/** Makes durations with noise and outliers from a source of random numbers. */
export function makeSeries({ count, noise, level = () => 1, memory = 0 }: SeriesShape, random: () => number) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  let deviation = normal()
  return Array.from({ length: count }, (_, position): DurationPoint => {
    deviation = memory * deviation + Math.sqrt(1 - memory ** 2) * normal()
    const outlier = random() < outlierShare ? outlierFactor : 1
    return { at: position * 60_000, ms: usualMs * level(position) * Math.exp(noise * deviation) * outlier }
  })
}

/** Returns the same random numbers for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
