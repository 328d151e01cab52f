/** A history of test results that the simulation made, in the order of its runs. */
export interface History {
  tests: SimulatedTest[]
  runs: SimulatedRun[]
}

export interface SimulatedTest {
  kind: 'healthy' | 'flaky' | 'regressed'
  /** The failure rate of a flaky test, from 0 to 1. */
  rate: number
}

export interface SimulatedRun {
  id: string
  at: number
  commit: string
  results: SimulatedResult[]
}

export interface SimulatedResult {
  failed: boolean
  retried: boolean
  fingerprint: string | null
  /** The test itself is the cause. */
  own: boolean
}

export interface Scenario {
  tests: number
  days: number
  runsPerDay: number
  /** Whether CI repeats a failed test once. */
  retries: boolean
  /** Outages that fail 90 % of all tests, and of one group of 60 tests. */
  outages: number
  groupOutages: number
  /** The share of failures that get a fingerprint of their own, and the share that get one that other errors also get. */
  split: number
  merged: number
}

const groupSize = 60
const flakyShare = 0.05
const regressions = 25
const failingShare = 0.9
/** A retry comes a moment later, when most outages still last. */
const retryPasses = 0.3
const hour = 3_600_000
const day = 24 * hour

/** Returns random numbers from 0 to 1 that depend only on the seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Span {
  from: number
  to: number
  /** Which tests it fails; undefined for all. */
  group?: number
  id: string
}

const covers = ({ from, to }: Span, at: number) => at >= from && at < to

/**
 * Simulates the runs of a default branch, each on a commit of its own: 5 % of the tests are flaky with a failure rate from
 * 0.5 % to 32 % (evenly spread over its logarithm), 30 % of them until they are fixed in the second third of the time; 25 tests are broken by real
 * regressions of 0.2 to 2 days; outages last one to six hours.
 */
export function simulate(scenario: Scenario, seed: number): History {
  const random = seeded(seed)
  // Of their own, so that the same seed gives the same results with all kinds of fingerprints.
  const randomPrint = seeded(seed + 1_000_000)
  const { days, runsPerDay } = scenario
  const span = (length: number, id: string): Span => {
    const from = random() * (days * day - length)
    return { from, to: from + length, id }
  }
  const tests = Array.from({ length: scenario.tests }, (): SimulatedTest & { fixedAt: number } => {
    const isFlaky = random() < flakyShare
    return {
      kind: isFlaky ? 'flaky' : 'healthy',
      rate: isFlaky ? 0.005 * 64 ** random() : 0,
      fixedAt: isFlaky && random() < 0.3 ? ((1 + random()) / 3) * days * day : Infinity,
    }
  })
  const broken = new Map<number, Span[]>()
  const healthy = tests.flatMap(({ kind }, index) => (kind === 'healthy' ? [index] : []))
  for (let count = 0; count < regressions; count++) {
    const index = healthy[Math.floor(random() * healthy.length)] ?? 0
    const length = (0.2 + random() * 1.8) * day
    broken.set(index, [...(broken.get(index) ?? []), span(length, `regression ${count}`)])
  }
  const outages = [
    ...Array.from({ length: scenario.outages }, (_, index) => span((1 + 5 * random()) * hour, `outage ${index}`)),
    ...Array.from({ length: scenario.groupOutages }, (_, index) => ({
      ...span((1 + 5 * random()) * hour, `group outage ${index}`),
      group: Math.floor(random() * Math.floor(scenario.tests / groupSize)),
    })),
  ]
  const printOf = (cause: string) => {
    const roll = randomPrint()
    if (roll < scenario.split) return `${cause}, variant ${Math.floor(randomPrint() * 1_000)}`
    return roll < scenario.split + scenario.merged ? `generic ${Math.floor(randomPrint() * 3)}` : cause
  }
  const resultOf = (index: number, test: (typeof tests)[number], at: number): SimulatedResult => {
    const regression = broken.get(index)?.find((each) => covers(each, at))
    if (regression) return { failed: true, retried: false, fingerprint: printOf(regression.id), own: false }
    const outage = outages.find(
      (each) => covers(each, at) && (each.group === undefined || each.group === Math.floor(index / groupSize)),
    )
    const fails = outage && random() < failingShare
    const flakes = !fails && at < test.fixedAt && random() < test.rate
    if (!fails && !flakes) return { failed: false, retried: false, fingerprint: null, own: false }
    const passesAgain = scenario.retries && (fails ? random() < retryPasses : random() >= test.rate)
    return {
      failed: !passesAgain,
      retried: passesAgain,
      fingerprint: printOf(fails ? (outage?.id ?? '') : `flake ${index}`),
      own: !fails,
    }
  }
  const runs = Array.from({ length: days * runsPerDay }, (_, index): SimulatedRun => {
    const at = Math.floor(((index + 0.8 * random()) * day) / runsPerDay)
    return {
      id: String(index).padStart(6, '0'),
      at,
      commit: `c${index}`,
      results: tests.map((test, place) => resultOf(place, test, at)),
    }
  })
  return {
    tests: tests.map(({ kind, rate }, index) => ({ kind: broken.has(index) ? 'regressed' : kind, rate })),
    runs,
  }
}
