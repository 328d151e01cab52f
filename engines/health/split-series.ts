/** Logarithms of durations, prepared so that the means of all segments are known at once. */
export interface Series {
  /** Logarithms, with outliers cut. */
  values: Float64Array
  /** The sum of all values before each position. */
  sums: Float64Array
  /** The standard deviation from one point to the next. */
  noise: number
}

/** A window of a series, divided where the means of both sides differ most for their lengths. */
export interface Split {
  from: number
  to: number
  /** The position of the first point after the split. */
  at: number
  difference: number
  /** How many standard errors the difference has if the points are independent. */
  score: number
}

/** A window, and how near to its ends it may be divided. */
interface Window {
  from: number
  to: number
  margin: number
}

/** Rounded durations can be all equal. */
const minNoise = 0.02
/** 70 % of normal values are nearer to their mean, in standard deviations. */
const normalQuantile = 1.0364
/** An odd number. A change that lasts for more than half of these points is not an outlier. */
const neighbors = 11
const keptDeviations = 2.5

/** Prepares durations. Outliers are cut to the noise around them; steps stay sharp. */
export function prepareSeries(durations: readonly number[]): Series {
  const logs = Float64Array.from(durations, Math.log)
  const jumps = logs.subarray(1).map((value, index) => Math.abs(value - (logs[index] ?? 0)))
  // Few jumps belong to steps or outliers. The median would be 0 if most points have the same duration.
  const noise = Math.max(minNoise, quantile(jumps, 0.7) / (normalQuantile * Math.SQRT2))
  const values = withoutOutliers(logs, keptDeviations * noise)
  const sums = new Float64Array(values.length + 1)
  for (let index = 0; index < values.length; index++) sums[index + 1] = (sums[index] ?? 0) + (values[index] ?? 0)
  return { values, sums, noise }
}

/** Divides a window, in linear time. */
export function splitWindow({ sums, noise }: Series, { from, to, margin }: Window): Split {
  const length = to - from
  const before = sums[from] ?? 0
  const total = (sums[to] ?? 0) - before
  let [at, best] = [from + margin, -1]
  for (let place = from + margin; place <= to - margin; place++) {
    const left = place - from
    const excess = ((sums[place] ?? 0) - before) * length - total * left
    const value = (excess * excess) / (left * (length - left))
    if (value > best) [at, best] = [place, value]
  }
  const leftMean = ((sums[at] ?? 0) - before) / (at - from)
  const difference = ((sums[to] ?? 0) - (sums[at] ?? 0)) / (to - at) - leftMean
  const score = (Math.abs(difference) * Math.sqrt(((at - from) * (to - at)) / length)) / noise
  return { from, to, at, difference, score }
}

/**
 * Returns how much better the split explains the window than a smooth curve does, a polynomial of degree three: in squares
 * of the score. Negative for trends and waves.
 */
export function leadOverCurve({ values, sums, noise }: Series, { from, to, score }: Split): number {
  const length = to - from
  const mean = ((sums[to] ?? 0) - (sums[from] ?? 0)) / length
  let [line, square, cube] = [0, 0, 0]
  for (let index = 0; index < length; index++) {
    const x = (2 * index + 1) / length - 1
    const value = (values[from + index] ?? 0) - mean
    // Legendre polynomials are orthogonal: the squares that they explain add up.
    line += value * x
    square += (value * (3 * x * x - 1)) / 2
    cube += (value * (5 * x * x - 3) * x) / 2
  }
  const explained = (3 * line ** 2 + 5 * square ** 2 + 7 * cube ** 2) / length
  return score ** 2 - explained / noise ** 2
}

/** Returns the value at a share of sorted values. NaN if there is none. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = new Float64Array(values).toSorted()
  const place = share * (sorted.length - 1)
  const [low = NaN, high = NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return low + (high - low) * (place % 1)
}

function withoutOutliers(logs: Float64Array, kept: number): Float64Array {
  const near = new Float64Array(neighbors)
  return logs.map((value, index) => {
    const start = Math.max(0, Math.min(index - (neighbors >> 1), logs.length - neighbors))
    near.set(logs.subarray(start, start + neighbors))
    sortFew(near)
    const middle = near[neighbors >> 1] ?? value
    return Math.min(middle + kept, Math.max(middle - kept, value))
  })
}

/** Insertion sort, which is faster than `sort` for so few numbers. */
function sortFew(numbers: Float64Array): void {
  for (let index = 1; index < numbers.length; index++) {
    const value = numbers[index] ?? 0
    let place = index
    for (; place > 0 && (numbers[place - 1] ?? 0) > value; place--) numbers[place] = numbers[place - 1] ?? 0
    numbers[place] = value
  }
}
