/** The share of changes that tests notice. */
export interface Strength {
  /** Percent of the tried mutants, with one decimal. */
  percent: number
  /** Percent between which the share of all mutants is in 19 of 20 samples of this size, whatever is undecided. */
  interval: [low: number, high: number]
}

const z = 1.96

export interface Sampled {
  noticed: number
  /** The mutants of which it is known whether tests notice them. */
  tried: number
  /** Mutants that some tests accept, and that others have not tried yet. */
  undecided: number
  /** All mutants. */
  possible: number
}

/**
 * Returns Wilson's score interval, corrected for a sample of a finite number: if all mutants were tried, the interval is a
 * point. Null if none was tried. A test that notices a mutant decides about it at once, and only all tests together accept
 * one, so that most of what is undecided when the time is over survives. So the lower end counts it as accepted.
 */
export function strengthOf({ noticed, tried, undecided, possible }: Sampled): Strength | null {
  if (tried === 0) return null
  const begun = tried + undecided
  const left = possible <= 1 ? 0 : Math.max(0, (possible - begun) / (possible - 1))
  const [low] = wilson(noticed / begun, begun, left)
  const [, high] = wilson((noticed + undecided) / begun, begun, left)
  return { percent: percent(noticed / tried), interval: [percent(low), percent(high)] }
}

/** @param left - the share of the whole that the sample leaves out */
function wilson(share: number, sample: number, left: number): [low: number, high: number] {
  if (left === 0) return [share, share]
  // A sample of a finite number says as much as a larger one of an infinite number.
  const size = sample / left
  const middle = (share + z ** 2 / (2 * size)) / (1 + z ** 2 / size)
  const half = (z * Math.sqrt((share * (1 - share)) / size + z ** 2 / (4 * size ** 2))) / (1 + z ** 2 / size)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

const percent = (share: number) => Math.round(share * 1_000) / 10
