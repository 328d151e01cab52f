/** The share of changes that tests notice. */
export interface Strength {
  /** Percent of the tried mutants, with one decimal. */
  percent: number
  /** Percent between which the share of all mutants is in 19 of 20 samples of this size. */
  interval: [low: number, high: number]
}

const z = 1.96

/**
 * Returns Wilson's score interval, corrected for a sample of a finite number: if all mutants were tried, the interval is a
 * point. Null if none was tried.
 *
 * @param possible - the number of mutants of which `tried` are a sample
 */
export function strengthOf(noticed: number, tried: number, possible: number): Strength | null {
  if (tried === 0) return null
  const share = noticed / tried
  const left = possible <= 1 ? 0 : Math.max(0, (possible - tried) / (possible - 1))
  if (left === 0) return { percent: percent(share), interval: [percent(share), percent(share)] }
  // A sample of a finite number says as much as a larger one of an infinite number.
  const size = tried / left
  const middle = (share + z ** 2 / (2 * size)) / (1 + z ** 2 / size)
  const half = (z * Math.sqrt((share * (1 - share)) / size + z ** 2 / (4 * size ** 2))) / (1 + z ** 2 / size)
  return {
    percent: percent(share),
    interval: [percent(Math.max(0, middle - half)), percent(Math.min(1, middle + half))],
  }
}

const percent = (share: number) => Math.round(share * 1_000) / 10
