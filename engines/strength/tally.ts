import type { NumberedMutant } from '../mutation/switched-source.ts'
import type { DriverEvent } from './events.ts'
import type { Reach } from './kept-reach.ts'
import { SeenTests } from './seen-tests.ts'

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
  /** The number of tests that were tried. */
  tries: number
}

/** Of the tests that reach a mutant, the nearest are kept, because there can be millions. */
const maxNearest = 5
/** Events can be forged. */
const maxFiles = 5_000
const maxNamed = 20

/** Counts what the events of a driver say about mutants. */
export class Tally {
  readonly decided = new Map<number, Decided>()
  /** The mutants that earlier results decide. */
  readonly kept = new Set<number>()
  /** The mutants that a test has tried, whether that decided about them or not. */
  readonly #begun = new Set<number>()
  readonly errors: string[] = []
  /** Some of the tests that fail without a mutant. */
  readonly failingTests: ReachingTest[] = []
  tests = 0
  failing = 0
  /** The tests whose reach earlier measurements saw. */
  keptTests = 0
  /** Mutants that this measurement does not try. */
  leftOut = 0
  /** Whether the driver of each part has tried everything. */
  readonly #ends: boolean[] = []
  readonly #probes: ReadonlyMap<number, number>
  readonly #reaching = new Map<number, { count: number; nearest: { by: ReachingTest; breadth: number }[] }>()
  /** The position of each number that the program can report, and what the tests of each file have reported. */
  readonly #positions: ReadonlyMap<number, number>
  readonly #files = new Map<string, Uint8Array>()
  readonly #failingFiles = new Set<string>()
  readonly #seen = new SeenTests()

  /**
   * @param probes - the probe of each mutant, by id
   * @param markers - the other numbers that the program can report
   */
  constructor(probes: ReadonlyMap<number, number>, markers: Iterable<number> = []) {
    this.#probes = probes
    this.#positions = new Map([...new Set([...probes.values(), ...markers])].map((number, index) => [number, index]))
  }

  /** Takes the events of the driver of another part from now on. */
  beginPart(): void {
    this.#ends.push(false)
  }

  /** The position of the present part. */
  get part(): number {
    return this.#ends.length - 1
  }

  get isComplete(): boolean {
    return this.leftOut === 0 && this.#ends.length > 0 && this.#ends.every(Boolean)
  }

  /** Counts a mutant that earlier results almost decide: the tests that are known accept it. */
  begin(id: number): void {
    if (this.#probes.has(id)) this.#begun.add(id)
  }

  /** Counts a mutant that need not be tried again. */
  takeOver(decided: Decided): void {
    this.decided.set(decided.id, decided)
    this.kept.add(decided.id)
  }

  /** Returns the mutant if the event decides about it for the first time. */
  take(event: DriverEvent): Decided | null {
    switch (event.kind) {
      case 'ready':
        this.tests += event.tests
        this.failing += event.failed
        this.keptTests += event.kept ?? 0
        if (event.isComplete) this.#seen.complete(this.part)
        return null
      case 'reach':
      case 'load':
        this.#reach(event)
        return null
      case 'error':
        if (this.errors.length < maxNamed) this.errors.push(event.message)
        return null
      case 'end':
        this.#ends[this.part] = event.isComplete
        return null
      case 'tried':
        if (this.#probes.has(event.id)) this.#begun.add(event.id)
        return null
      case 'decided': {
        const { id, outcome, file = null, test = null, tries = 1, kept = false } = event
        if (!this.#probes.has(id) || this.decided.has(id)) return null
        const decided = { id, outcome, by: file === null ? null : { file, test }, tries }
        this.decided.set(id, decided)
        if (kept) this.kept.add(id)
        return decided
      }
      default:
        return null
    }
  }

  /** Replaces what is known of a mutant. */
  correct(id: number, outcome: Outcome): void {
    this.decided.set(id, { id, outcome, by: null, tries: 1 })
    this.kept.delete(id)
  }

  #reach(event: Extract<DriverEvent, { kind: 'reach' | 'load' }>): void {
    const by = { file: event.file, test: event.kind === 'reach' ? event.test : null }
    const isFailing = event.kind === 'reach' && event.failed
    if (isFailing && this.failingTests.length < maxNamed) this.failingTests.push(by)
    const seen = this.#seenBy(event.file)
    if (isFailing && seen) this.#failingFiles.add(event.file)
    const probes = new Set(event.probes)
    // A test says more than what runs before all tests of its file.
    const breadth = event.kind === 'load' ? Infinity : probes.size
    this.#seen.add(event.file, { part: this.part, test: by.test, ms: event.ms, probes: [...probes] })
    for (const probe of probes) {
      const position = this.#positions.get(probe)
      if (position === undefined) continue
      if (seen) seen[position] = 1
      if (isFailing) continue
      const known = this.#reaching.get(probe) ?? { count: 0, nearest: [] }
      this.#reaching.set(probe, known)
      known.count += 1
      const { nearest } = known
      if (nearest.length === maxNearest && breadth >= (nearest.at(-1)?.breadth ?? 0)) continue
      nearest.splice(nearest.findLastIndex((one) => one.breadth <= breadth) + 1, 0, { by, breadth })
      nearest.length = Math.min(nearest.length, maxNearest)
    }
  }

  #seenBy(file: string): Uint8Array | undefined {
    const known = this.#files.get(file)
    if (known || this.#files.size >= maxFiles) return known
    const seen = new Uint8Array(this.#positions.size)
    this.#files.set(file, seen)
    return seen
  }

  isReached(id: number): boolean {
    const probe = this.#probes.get(id)
    return probe !== undefined && this.#reaching.has(probe)
  }

  /** How many tests reach a mutant. */
  testCountOf(id: number): number {
    return this.#reaching.get(this.#probes.get(id) ?? 0)?.count ?? 0
  }

  /** Some of the tests that reach a mutant, the one that reaches least beside it first: it is about this code. */
  testsOf(id: number): ReachingTest[] {
    return this.#reaching.get(this.#probes.get(id) ?? 0)?.nearest.map(({ by }) => by) ?? []
  }

  /** The files with tests that reach a mutant. */
  filesOf(id: number): string[] {
    const position = this.#positions.get(this.#probes.get(id) ?? 0)
    if (position === undefined) return []
    return [...this.#files].flatMap(([file, seen]) => (seen[position] === 1 ? file : []))
  }

  /** What the tests of each file have reported, and whether one of them fails without a mutant. */
  reaches(): ({ file: string } & Omit<Reach, 'path'>)[] {
    return [...this.#files].map(([file, seen]) => ({
      file,
      hasReported: (number) => seen[this.#positions.get(number) ?? -1] === 1,
      hasFailed: this.#failingFiles.has(file),
      tests: this.#seen.of(file),
    }))
  }

  /** How many of the mutants tests reach, have been tried, and are noticed. What the compiler refuses is no mutant. */
  counts(all: readonly Pick<NumberedMutant, 'id'>[]) {
    const mutants = all.filter(({ id }) => this.decided.get(id)?.outcome !== 'invalid')
    const count = (...wanted: Outcome[]) =>
      mutants.filter(({ id }) => wanted.includes(this.decided.get(id)?.outcome ?? 'lost') && this.decided.has(id))
        .length
    return {
      found: mutants.length,
      reached: mutants.filter(({ id }) => this.isReached(id) || this.decided.has(id)).length,
      tried: count('noticed', 'timed_out', 'survived'),
      undecided: mutants.filter(({ id }) => this.#begun.has(id) && !this.decided.has(id)).length,
      kept: mutants.filter(({ id }) => this.kept.has(id)).length,
      noticed: count('noticed', 'timed_out'),
      timedOut: count('timed_out'),
      survived: count('survived'),
      lost: count('lost'),
    }
  }
}
