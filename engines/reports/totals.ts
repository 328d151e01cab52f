/** The test counts of a run. */
export interface Totals {
  totalTests: number
  passedTests: number
  failedTests: number
  skippedTests: number
  flakyTests: number
}

export const noTests: Totals = { totalTests: 0, passedTests: 0, failedTests: 0, skippedTests: 0, flakyTests: 0 }
