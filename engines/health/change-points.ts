export interface DurationStep {
  /** The first result after the change, in milliseconds since the epoch. */
  at: number
  /** Median milliseconds before and after, up to the neighboring changes. */
  before: number
  after: number
  /** `after` divided by `before`. */
  ratio: number
}

interface Point {
  at: number
  ms: number
}

const leastPoints = 10
const leastRatio = 1.2
const leastMs = 5
/** The probability that points without a change show one. */
const significance = 1e-5
/** The share of the change that must happen from one side of the step to the other: a slow drift has no step. */
const sharpness = 0.6
const nearPoints = 30

/**
 * Finds lasting changes of a duration: Pettitt's test on ranks, which single outliers do not impress, applied again to the
 * parts before and after each change.
 *
 * @param points - in the order of time
 */
export function findDurationSteps(points: readonly Point[]): DurationStep[] {
  const places = splitsOf(points, 0, points.length).toSorted((a, b) => a - b)
  const bounds = [0, ...places, points.length]
  return places.flatMap((place, index): DurationStep[] => {
    const before = median(points.slice(bounds[index], place))
    const after = median(points.slice(place, bounds[index + 2]))
    const at = points[place]?.at ?? 0
    return isNotable(before, after) ? [{ at, before, after, ratio: after / before }] : []
  })
}

function splitsOf(points: readonly Point[], from: number, to: number): number[] {
  const size = to - from
  if (size < 2 * leastPoints) return []
  const place = from + strongestSplit(points.slice(from, to))
  if (place === from || place - from < leastPoints || to - place < leastPoints) return []
  const before = median(points.slice(from, place))
  const after = median(points.slice(place, to))
  if (!isNotable(before, after)) return []
  const near = Math.min(nearPoints, place - from, to - place)
  const change = median(points.slice(place, place + near)) - median(points.slice(place - near, place))
  if (change / (after - before) < sharpness) return []
  return [...splitsOf(points, from, place), place, ...splitsOf(points, place, to)]
}

/** Returns the place of the most likely change, or 0 if it is not significant. */
function strongestSplit(points: readonly Point[]): number {
  const size = points.length
  const ranks = ranksOf(points.map(({ ms }) => ms))
  let [sum, place, strength] = [0, 0, 0]
  for (let index = 1; index < size; index++) {
    sum += ranks[index - 1] ?? 0
    const difference = Math.abs(2 * sum - index * (size + 1))
    if (difference > strength) [place, strength] = [index, difference]
  }
  const probability = 2 * Math.exp((-6 * strength ** 2) / (size ** 3 + size ** 2))
  return probability < significance ? place : 0
}

/** Equal values have their mean rank. */
function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).toSorted((a, b) => (values[a] ?? 0) - (values[b] ?? 0))
  const ranks = Array.from(values, () => 0)
  for (let from = 0; from < order.length;) {
    let to = from + 1
    while (to < order.length && values[order[to] ?? 0] === values[order[from] ?? 0]) to++
    for (let index = from; index < to; index++) ranks[order[index] ?? 0] = (from + to + 1) / 2
    from = to
  }
  return ranks
}

function isNotable(before: number, after: number): boolean {
  const [low, high] = before < after ? [before, after] : [after, before]
  return high - low >= leastMs && high >= leastRatio * low
}

function median(points: readonly Point[]): number {
  const sorted = points.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
