export interface ScoreFactors {
  complexity: number
  /** Share that tests reach, 0 to 1. */
  coverage: number
  /** Commits that touched the file; null when the history is not known. */
  churn: number | null
  /** Files that import the symbol's file. */
  fanIn: number
  /** 1 for the product's own code, less for code beside it. */
  weight: number
}

/**
 * What a test would be worth: the branches that no test decides yet, weighted by how often the file changes and how
 * much leans on it. These say how much a gap matters, not where one is, so they enter damped, by the geometric mean of
 * their logarithms: multiplied in full, busy files crowd out untested ones. A history that is not known leaves all
 * candidates with the same factor.
 */
export function score({ complexity, coverage, churn, fanIn, weight }: ScoreFactors): number {
  const importance = Math.sqrt(Math.log2(2 + (churn ?? 0)) * Math.log2(2 + fanIn))
  return complexity * (1 - coverage) * importance * weight
}

/**
 * Factor for the `position`th best symbol of a file, counted from 0. Tests for one file are written together, and a
 * list that names one file twenty times helps nobody.
 */
export function repetitionFactor(position: number): number {
  return 1 / (1 + position / 4)
}
