export interface ScoreFactors {
  complexity: number
  statements: number
  /** Share that no test reaches, 0 to 1. */
  gap: number
  /** Commits that touched the file; null when the history is not known. */
  churn: number | null
  /** Files that import the symbol's file. */
  fanIn: number
  /** Not the product's own code, but beside it. */
  isBeside: boolean
}

/** Few people want tests for examples and scripts. */
const besideFactor = 0.25

/**
 * What a test would be worth: the code that no test runs yet, weighted by how often the file changes and how much
 * leans on it.
 *
 * - How much code there is counts by the geometric mean of complexity and statements: branches alone underrate long
 *   procedures, statements alone overrate lists of settings.
 * - Churn and fan-in say how much a gap matters, not where one is. They enter by the geometric mean of their
 *   logarithms: multiplied in full, busy files crowd out untested ones. A history that is not known leaves all
 *   candidates with the same factor.
 */
export function score({ complexity, statements, gap, churn, fanIn, isBeside }: ScoreFactors): number {
  const size = Math.sqrt(complexity * statements)
  const importance = Math.sqrt(Math.log2(2 + (churn ?? 0)) * Math.log2(2 + fanIn))
  return size * gap * importance * (isBeside ? besideFactor : 1)
}

/**
 * Factor for the `position`th best symbol of a file, counted from 0. Tests for one file are written together, and a
 * list that names one file twenty times is of no use.
 */
export function repetitionFactor(position: number): number {
  return 1 / (1 + position / 8)
}
