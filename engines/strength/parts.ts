import { BitSet } from './bit-set.ts'

/** How the drivers of some runners report what the tests of a file reach. */
export interface PartReports {
  /** Whether the driver reports the loading of a file when all tests of the file have ended, and not before. */
  loadsLast: boolean
}

/** What the driver of one part of the plan has said. */
export class PartState {
  readonly loadsLast: boolean
  /** The positions of the probes that passing tests reach. */
  readonly reached: BitSet
  readonly decided = new Set<number>()
  /** Whether the driver says that all tests have run once. Undefined before they have. */
  allRan: boolean | undefined
  /** Whether it has tried everything with the tests that ran. */
  hasTriedAll = false
  /** Whether the driver has said that it ends. */
  hasEnded = false
  /** Whether the driver was started again. */
  isAgain = false
  /** The test files that run right now. */
  readonly running = new Set<string>()
  /** The driver cannot run the tests. */
  isBroken = false

  constructor({ loadsLast }: PartReports, positions: number) {
    this.loadsLast = loadsLast
    this.reached = new BitSet(positions)
  }

  get isComplete(): boolean {
    return this.hasTriedAll && this.allRan !== false
  }

  /** Whether it is known which mutants the tests reach, or that the time was enough to see that they cannot run. */
  get hasAnswered(): boolean {
    return this.isBroken || this.hasTriedAll || this.allRan === true
  }
}
