/** The share of changes that tests notice. */
export interface Strength {
  /** Percent of the tried mutants, with one decimal. */
  percent: number
  /** Percent between which the share of all mutants is in 19 of 20 samples of this size, whatever is not known. */
  interval: [low: number, high: number]
}

const z = 1.96

/**
 * Returns the share of mutants that tests notice, and its interval: that of the first mutants of the order, which are a
 * sample that is drawn by lot. Of how many is chosen without a look at the results: many say more than few, but among them
 * are more whose result is not known. The lower end counts these as accepted and the upper end as noticed. Around both is
 * Wilson's score interval, corrected for a sample of a finite number: if all results are known, it is a point.
 *
 * @param results - whether tests notice each of the mutants that they reach, in an order that is drawn by lot. Null if it
 *   is not known.
 * @returns null if no result is known
 */
export function strengthOf(results: readonly (boolean | null)[]): Strength | null {
  const possible = results.length
  let [known, noticed] = [0, 0]
  let best = { width: Infinity, size: 1, noticed: 0, unknown: 0, left: 0 }
  for (const [index, result] of results.entries()) {
    if (result !== null) known += 1
    if (result === true) noticed += 1
    const size = index + 1
    const unknown = size - known
    const left = possible <= 1 ? 0 : (possible - size) / (possible - 1)
    // Half of the mutants being noticed makes the interval widest.
    const width = unknown / size + z * Math.sqrt(left / size)
    if (width <= best.width) best = { width, size, noticed, unknown, left }
  }
  if (known === 0) return null
  const [low] = wilson(best.noticed / best.size, best)
  const [, high] = wilson((best.noticed + best.unknown) / best.size, best)
  return { percent: percent(noticed / known), interval: [percent(low), percent(high)] }
}

/**
 * Returns how many points of percent more a strength is than an earlier one. Null if their intervals overlap, so that the
 * difference may be chance. Two points, which leave nothing open, always compare.
 */
export function changeSince(before: Strength, now: Strength): number | null {
  // The difference of two decimals has more of them.
  const change = Math.round(10 * (now.percent - before.percent)) / 10
  const isKnown = [before, now].every(({ interval: [low, high] }) => low === high)
  const isApart = change > 0 ? now.interval[0] > before.interval[1] : change < 0 && now.interval[1] < before.interval[0]
  return isKnown || isApart ? change : null
}

/** @param left - the share of the whole that the sample leaves out */
function wilson(share: number, { size, left }: { size: number; left: number }): [low: number, high: number] {
  if (left === 0) return [share, share]
  // A sample of a finite number says as much as a larger one of an infinite number.
  const count = size / left
  const middle = (share + z ** 2 / (2 * count)) / (1 + z ** 2 / count)
  const half = (z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))) / (1 + z ** 2 / count)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

const percent = (share: number) => Math.round(share * 1_000) / 10
