import type { Series, Split } from './split-series.ts'
import { leadOverCurve, prepareSeries, quantile, splitWindow } from './split-series.ts'

export interface DurationPoint {
  /** Milliseconds since 1970. */
  at: number
  ms: number
}

/** A lasting change of the duration of a test. */
export interface DurationStep {
  /** The time of the first point with the new duration. */
  at: number
  /** The median of up to 100 points before the step, back to the previous step. */
  before: number
  /** The median of up to 100 points from the step on, up to the next step. */
  after: number
  /** `after / before`. */
  ratio: number
}

/** 10,000 points take 10 to 20 ms. */
const maxPoints = 10_000
const minSegment = 10
/** A series with more steps alternates between durations. */
const maxSteps = 50
const minRatio = 1.2
const minChangeMs = 5
/** The points on each side of a step that are compared. More would add a slow trend to the step. */
const comparedPoints = 100

/** A series has too few longer windows to tell which scores are usual. */
const maxTypicalShare = 1 / 4
const typicalShare = 0.6
/**
 * The scores that this share of windows stays below if points are independent. The first is for windows of 20 points; each
 * next one for windows that are √2 times as long.
 */
const usualScores = [0.86, 1.42, 1.63, 1.78, 1.88, 1.97, 2.04, 2.12, 2.2, 2.24, 2.28, 2.32]

/** Found by simulation, so that fewer than 1 % of series without a step have one. */
const scoreOffset = 13
const longWindowSurplus = 1.25
const minLeadOverCurve = 8

interface Candidate extends Split {
  /** The score, divided by how much larger than usual the scores of the series are. */
  significance: number
}

/**
 * Finds steps in the duration of a test: changes by at least 20 % and 5 ms that last for at least 10 points. Outliers,
 * trends and periodic patterns are not steps. Points may come in any order; those of the same time keep theirs. Durations
 * below 1 ms count as 1 ms. Only the newest 10,000 points are read.
 *
 * The method is seeded binary segmentation of the logarithms, after outliers are cut to the noise: windows of many lengths
 * are split where the means of both sides differ most. The difference must be significant, and more so if windows of that
 * length usually have large differences, as in periodic patterns. Windows of more than a quarter of the series have no
 * such comparison. There, the step must explain the points better than a smooth curve does.
 *
 * Of 1,000 simulated series of 1,000 points for each shape, at most 7 without a step have one: noise with 3 % of outliers,
 * drifts to 1.5, 2 and 3 times, waves of 15 % and 30 % each 7 to 500 points, slower thirds of each 7, 24 or 50 points. Of
 * series whose noise is alike for many points (autocorrelation 0.8), 4 to 29 have one. A slower third of each 100 points
 * lasts for 33 points and counts as steps if there is little noise. Share of the steps found, in percent:
 *
 *     deviation of the logarithms  0.1   0.2   0.3   0.5
 *     1,000 points, +30 %          100    98    83    24
 *     1,000 points, +50 %          100   100   100    80
 *     1,000 points, +100 %         100   100   100   100
 *     the last 30 of 1,000, +50 %  100   100    82    12
 *     300 points, +50 %            100    97    65    12
 *     100 points, +50 %             94    33    11     0
 *     100 points, +100 %           100    86    51    10
 */
export function findDurationSteps(points: readonly DurationPoint[]): DurationStep[] {
  const ordered = points
    .filter(({ at, ms }) => Number.isFinite(at) && Number.isFinite(ms))
    .toSorted((one, other) => one.at - other.at)
    .slice(-maxPoints)
    .map(({ at, ms }) => ({ at, ms: Math.max(ms, 1) }))
  if (ordered.length < 2 * minSegment) return []
  const series = prepareSeries(ordered.map(({ ms }) => ms))
  return lastingSteps(ordered, series, withoutOverlap(findCandidates(series)))
}

function findCandidates(series: Series): Candidate[] {
  const count = series.values.length
  // The more scores there are, the larger the largest is by chance.
  const minScore = Math.sqrt(2 * Math.log(count) + scoreOffset)
  let inflation = 1
  return windowLengths(count).flatMap((length, index) => {
    const splits = windowStarts(count, length).map((from) =>
      splitWindow(series, { from, to: from + length, margin: minSegment }),
    )
    const isLong = length > count * maxTypicalShare
    if (!isLong) {
      const typical = quantile(
        splits.map(({ score }) => score),
        typicalShare,
      )
      inflation = Math.max(1, typical / (usualScores[index] ?? usualScores.at(-1) ?? 1))
    }
    return splits
      .map((split) => ({ ...split, significance: split.score / inflation }))
      .filter((split) => {
        if (Math.abs(split.difference) < Math.log(minRatio)) return false
        if (!isLong) return split.significance >= minScore
        if (split.significance < minScore + longWindowSurplus) return false
        return leadOverCurve(series, split) >= minLeadOverCurve * inflation ** 2
      })
  })
}

function windowLengths(count: number): number[] {
  const lengths = []
  for (let length = 2 * minSegment; length < count; length *= Math.SQRT2) lengths.push(Math.floor(length))
  return [...lengths, count]
}

/** Windows overlap by three quarters, so that every step is far from the ends of one of them. */
function windowStarts(count: number, length: number): number[] {
  const starts = []
  for (let start = 0; start < count - length; start += Math.floor(length / 4)) starts.push(start)
  return [...starts, count - length]
}

/** Takes the most significant candidates. A window that contains a step that was already taken says nothing more. */
function withoutOverlap(candidates: readonly Candidate[]): Candidate[] {
  const chosen: Candidate[] = []
  for (const one of candidates.toSorted((a, b) => b.significance - a.significance)) {
    if (chosen.length === maxSteps) break
    const isFree = chosen.every(({ at }) => at <= one.from || at >= one.to)
    if (isFree && chosen.every(({ at }) => Math.abs(at - one.at) >= minSegment)) chosen.push(one)
  }
  return chosen.toSorted((a, b) => a.at - b.at)
}

/** Returns the steps that are large and lasting. Dropping one makes the segments around it longer. */
function lastingSteps(
  points: readonly DurationPoint[],
  series: Series,
  candidates: readonly Candidate[],
): DurationStep[] {
  const left = [...candidates]
  for (;;) {
    moveToBestPlace(series, left)
    const steps = left.map((_one, index) => measureStep(points, left, index))
    const unfit = left.filter((_one, index) => !isLarge(steps[index]) || isShort(left, index, points.length))
    const [weakest] = unfit.toSorted((a, b) => a.significance - b.significance)
    if (!weakest) return steps
    left.splice(left.indexOf(weakest), 1)
  }
}

/**
 * Moves each step to the best place between the steps around it. Windows are not split near their ends, so a few slow
 * points first look like ten.
 */
function moveToBestPlace(series: Series, candidates: Candidate[]): void {
  for (const [index, one] of candidates.entries()) {
    const from = candidates[index - 1]?.at ?? 0
    const to = candidates[index + 1]?.at ?? series.values.length
    candidates[index] = { ...one, at: splitWindow(series, { from, to, margin: 1 }).at }
  }
}

function isShort(candidates: readonly Candidate[], index: number, count: number): boolean {
  const place = candidates[index]?.at ?? 0
  const [previous, next] = [candidates[index - 1]?.at ?? 0, candidates[index + 1]?.at ?? count]
  return place - previous < minSegment || next - place < minSegment
}

function measureStep(points: readonly DurationPoint[], candidates: readonly Candidate[], index: number): DurationStep {
  const place = candidates[index]?.at ?? 0
  const start = Math.max(candidates[index - 1]?.at ?? 0, place - comparedPoints)
  const end = Math.min(candidates[index + 1]?.at ?? points.length, place + comparedPoints)
  const medianOf = (part: readonly DurationPoint[]) =>
    quantile(
      part.map(({ ms }) => ms),
      0.5,
    )
  const [before, after] = [medianOf(points.slice(start, place)), medianOf(points.slice(place, end))]
  return { at: points[place]?.at ?? 0, before, after, ratio: after / before }
}

function isLarge(step: DurationStep | undefined): boolean {
  if (!step || Math.abs(step.after - step.before) < minChangeMs) return false
  return Math.max(step.ratio, 1 / step.ratio) >= minRatio
}
