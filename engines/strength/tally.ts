import type { NumberedMutant } from '../mutation/switched-source.ts'
import type { DriverEvent } from './events.ts'

export type Outcome = Extract<DriverEvent, { kind: 'decided' }>['outcome']

export interface ReachingTest {
  file: string
  /** Null for code that runs while the file is loaded. */
  test: string | null
}

export interface Decided {
  id: number
  outcome: Outcome
  /** The test that noticed the mutant. */
  by: ReachingTest | null
  message: string | null
  /** The number of tests that were tried. */
  tries: number
}

/** Counts what the events of a driver say about mutants. */
export class Tally {
  readonly decided = new Map<number, Decided>()
  readonly errors: string[] = []
  tests = 0
  failing = 0
  isComplete = false
  readonly #probes: ReadonlyMap<number, number>
  /** The tests that reach a probe, with how much each of them reaches. */
  readonly #reaching = new Map<number, { by: ReachingTest; breadth: number }[]>()

  /** @param probes - the probe of each mutant, by id */
  constructor(probes: ReadonlyMap<number, number>) {
    this.#probes = probes
  }

  /** Returns the mutant if the event decides about it for the first time. */
  take(event: DriverEvent): Decided | null {
    switch (event.kind) {
      case 'ready':
        this.tests = event.tests
        this.failing = event.failed
        return null
      case 'reach':
      case 'load':
        if (event.kind === 'reach' && event.failed) return null
        for (const probe of new Set(event.probes)) {
          const by = { file: event.file, test: event.kind === 'reach' ? event.test : null }
          const known = this.#reaching.get(probe) ?? []
          this.#reaching.set(probe, [...known, { by, breadth: event.probes.length }])
        }
        return null
      case 'error':
        this.errors.push(event.message)
        return null
      case 'end':
        this.isComplete = event.isComplete
        return null
      case 'decided': {
        const { id, outcome, file = null, test = null, message = null, tries = 1 } = event
        if (!this.#probes.has(id) || this.decided.has(id)) return null
        const decided = { id, outcome, by: file === null ? null : { file, test }, message, tries }
        this.decided.set(id, decided)
        return decided
      }
      default:
        return null
    }
  }

  isReached(id: number): boolean {
    const probe = this.#probes.get(id)
    return probe !== undefined && this.#reaching.has(probe)
  }

  /** The tests that reach a mutant, the one that reaches least beside it first: it is about this code. */
  testsOf(id: number): ReachingTest[] {
    const found = this.#reaching.get(this.#probes.get(id) ?? 0) ?? []
    return found.toSorted((a, b) => a.breadth - b.breadth).map(({ by }) => by)
  }

  /** How many of the mutants tests reach, have been tried, and are noticed. */
  counts(mutants: readonly Pick<NumberedMutant, 'id'>[]) {
    const outcomes = mutants.map(({ id }) => this.decided.get(id)?.outcome)
    const count = (...wanted: Outcome[]) => outcomes.filter((one) => one && wanted.includes(one)).length
    return {
      found: mutants.length,
      reached: mutants.filter(({ id }) => this.isReached(id)).length,
      tried: count('noticed', 'timed_out', 'survived'),
      noticed: count('noticed', 'timed_out'),
      timedOut: count('timed_out'),
      survived: count('survived'),
      invalid: count('invalid'),
      lost: count('lost'),
    }
  }
}
