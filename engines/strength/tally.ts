import { BitSet } from './bit-set.ts'
import type { DriverEvent } from './events.ts'
import type { Reach } from './kept-reach.ts'
import { type PartReports, PartState } from './parts.ts'
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

/** The mutants of a program, and what it can report. */
export interface Watched {
  /** The probe of each mutant, by id. */
  probes: ReadonlyMap<number, number>
  /** The other numbers that the program can report. */
  markers?: Iterable<number>
  /** Whether a file that an event names is one of the repository. */
  isKnownFile?: (file: string) => boolean
}

/** Of the tests that reach a mutant, the nearest are kept, because there can be millions. */
const maxNearest = 5
/** Events can be forged. */
const maxFiles = 5_000
const maxNamed = 20
const maxRunning = 1_000

/** Of what parts say about a mutant, the first of these counts. A mutant that no test can try is not one that all accept. */
const order: Outcome[] = ['noticed', 'timed_out', 'lost', 'survived', 'invalid']

/** Counts what the events of a driver say about mutants. */
export class Tally {
  readonly decided = new Map<number, Decided>()
  /** The mutants that earlier results decide. */
  readonly kept = new Set<number>()
  readonly errors: string[] = []
  /** Some of the tests that fail without a mutant. */
  readonly failingTests: ReachingTest[] = []
  tests = 0
  failing = 0
  /** The tests whose reach earlier measurements saw. */
  keptTests = 0
  /** Mutants and files that this measurement does not try. */
  leftOut = 0
  /** Whether there are parts without a driver. */
  hasOthers = false
  readonly #parts: PartState[] = []
  readonly #probes: ReadonlyMap<number, number>
  readonly #isKnownFile: (file: string) => boolean
  readonly #reaching = new Map<number, { count: number; nearest: { by: ReachingTest; breadth: number }[] }>()
  /** The position of each number that the program can report, and what the tests of each file have reported. */
  readonly #positions: ReadonlyMap<number, number>
  readonly #files = new Map<string, BitSet>()
  readonly #failingFiles = new Set<string>()
  readonly #seen = new SeenTests()

  constructor({ probes, markers = [], isKnownFile = () => true }: Watched) {
    this.#probes = probes
    this.#isKnownFile = isKnownFile
    this.#positions = new Map([...new Set([...probes.values(), ...markers])].map((number, index) => [number, index]))
  }

  /** Takes the events of the driver of another part from now on. */
  beginPart(reports: PartReports): void {
    this.#parts.push(new PartState(reports, this.#positions.size))
  }

  /** Whether the driver of the present part has come to its end. */
  get hasEnded(): boolean {
    return this.#parts.at(-1)?.hasEnded ?? false
  }

  /** The test files that the driver of the present part was running when it last said so. */
  get running(): string[] {
    return [...(this.#parts.at(-1)?.running ?? [])]
  }

  /** Whether the driver of the present part has decided about a mutant. */
  hasDecided(id: number): boolean {
    return this.#parts.at(-1)?.decided.has(id) ?? false
  }

  /** Takes the events of a driver that runs the present part again, because it died. */
  beginAgain(): void {
    const part = this.#parts.at(-1)
    if (!part) return
    part.isAgain = true
    part.running.clear()
  }

  /** Notes that some tests of the present part cannot run with mutants. */
  noteBroken(): void {
    const part = this.#parts.at(-1)
    if (part) part.isBroken = true
  }

  warn(message: string): void {
    if (this.errors.length < maxNamed && !this.errors.includes(message)) this.errors.push(message)
  }

  /** The position of the present part. */
  get part(): number {
    return this.#parts.length - 1
  }

  /** Whether all tests have tried everything that they can. */
  get isComplete(): boolean {
    return this.leftOut === 0 && !this.hasOthers && this.#parts.length > 0 && this.#parts.every((one) => one.isComplete)
  }

  /** Whether tests cannot run while mutants are tried, and nothing else is left to do. */
  get lacksTests(): boolean {
    const isLacking = this.hasOthers || this.#parts.some(({ isBroken }) => isBroken)
    return isLacking && this.leftOut === 0 && this.#parts.every((one) => one.isBroken || one.isComplete)
  }

  /** Counts a mutant that need not be tried again. */
  takeOver(decided: Decided): void {
    this.decided.set(decided.id, decided)
    this.kept.add(decided.id)
  }

  /** Whether a test notices the mutant, so that no other one needs to try it. */
  isNoticed(id: number): boolean {
    return ['noticed', 'timed_out'].includes(this.decided.get(id)?.outcome ?? '')
  }

  /** Returns the mutant if the event decides about it. In each part only the first event counts. */
  take(event: DriverEvent): Decided | null {
    const part = this.#parts.at(-1)
    if (!part) return null
    switch (event.kind) {
      case 'ready':
        if (part.allRan === undefined) {
          this.tests += event.tests
          this.failing += event.failed
          // What the driver saw before it died is known to the next one.
          if (!part.isAgain) this.keptTests += event.kept ?? 0
        }
        part.allRan = event.isComplete ?? true
        return null
      case 'reach':
      case 'load':
        this.#reach(event, part)
        return null
      case 'error':
        this.warn(event.message)
        // After that, errors are about single tests.
        if (part.allRan === undefined) part.isBroken = true
        return null
      case 'end':
        part.hasTriedAll = event.isComplete
        part.hasEnded = true
        return null
      case 'begun':
        if (part.running.size < maxRunning) part.running.add(event.file)
        return null
      case 'done':
        for (const file of event.files) part.running.delete(file)
        return null
      case 'decided':
        return this.#decide(event, part)
      default:
        return null
    }
  }

  #decide(event: Extract<DriverEvent, { kind: 'decided' }>, part: PartState): Decided | null {
    const { id, outcome, file = null, test = null, tries = 1, kept = false } = event
    if (!this.#probes.has(id) || part.decided.has(id) || this.isNoticed(id)) return null
    part.decided.add(id)
    const by = file === null ? null : { file, test }
    const found = { id, outcome, by, tries }
    const before = this.decided.get(id)
    if (!before) {
      if (kept) this.kept.add(id)
    } else if (!kept) this.kept.delete(id)
    const [first = found] = [found, ...(before ? [before] : [])].toSorted((a, b) => rank(a) - rank(b))
    const decided = { ...first, tries: tries + (before?.tries ?? 0) }
    this.decided.set(id, decided)
    return decided
  }

  /** Whether tests of a part reach a mutant and have not said whether they notice it. */
  isOpen(id: number): boolean {
    const position = this.#positionOf(id)
    return this.#parts.some(({ reached, decided }) => reached.has(position) && !decided.has(id))
  }

  /**
   * Forgets that mutants survived which other tests may notice: those of a part that reach them and had no time to try
   * them, or of a part of which nobody knows what it reaches, because the time was over before.
   */
  forgetOpen(): void {
    for (const { id, outcome } of this.decided.values()) {
      if (outcome !== 'survived') continue
      const isUnheard = (part: PartState) => !part.decided.has(id) && !part.hasAnswered
      if (!this.isOpen(id) && !this.#parts.some(isUnheard)) continue
      this.decided.delete(id)
      this.kept.delete(id)
    }
  }

  /** Replaces what is known of a mutant. */
  correct(id: number, outcome: Outcome, by: ReachingTest | null = null): void {
    this.decided.set(id, { id, outcome, by, tries: 1 })
    this.kept.delete(id)
  }

  #reach(event: Extract<DriverEvent, { kind: 'reach' | 'load' }>, part: PartState): void {
    const by = { file: event.file, test: event.kind === 'reach' ? event.test : null }
    if (part.isAgain && this.#seen.has(event.file, this.part, by.test)) return
    const isFailing = event.kind === 'reach' && event.failed
    if (isFailing && this.failingTests.length < maxNamed) this.failingTests.push(by)
    const seen = this.#seenBy(event.file)
    if (isFailing && seen) this.#failingFiles.add(event.file)
    const probes = new Set(event.probes)
    // A test says more than what runs before all tests of its file.
    const breadth = event.kind === 'load' ? Infinity : probes.size
    if (seen) this.#seen.add(event.file, { part: this.part, test: by.test, ms: event.ms, probes: [...probes] })
    for (const probe of probes) {
      const position = this.#positions.get(probe)
      if (position === undefined) continue
      seen?.add(position)
      if (isFailing) continue
      part.reached.add(position)
      const known = this.#reaching.get(probe) ?? { count: 0, nearest: [] }
      this.#reaching.set(probe, known)
      known.count += 1
      const { nearest } = known
      if (nearest.length === maxNearest && breadth >= (nearest.at(-1)?.breadth ?? 0)) continue
      nearest.splice(nearest.findLastIndex((one) => one.breadth <= breadth) + 1, 0, { by, breadth })
      nearest.length = Math.min(nearest.length, maxNearest)
    }
  }

  #seenBy(file: string): BitSet | undefined {
    const known = this.#files.get(file)
    if (known || this.#files.size >= maxFiles || !this.#isKnownFile(file)) return known
    const seen = new BitSet(this.#positions.size)
    this.#files.set(file, seen)
    return seen
  }

  #positionOf(id: number): number {
    return this.#positions.get(this.#probes.get(id) ?? 0) ?? -1
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
    const position = this.#positionOf(id)
    if (position < 0) return []
    return [...this.#files].flatMap(([file, seen]) => (seen.has(position) ? file : []))
  }

  /** What the tests of each file have reported, and whether one of them fails without a mutant. */
  reaches(): ({ file: string } & Omit<Reach, 'path'>)[] {
    const isWhole = (part: number) => {
      const state = this.#parts[part]
      return state !== undefined && (state.loadsLast || state.allRan === true)
    }
    return [...this.#files].map(([file, seen]) => ({
      file,
      hasReported: (number) => seen.has(this.#positions.get(number) ?? -1),
      hasFailed: this.#failingFiles.has(file),
      tests: this.#seen.of(file, isWhole),
    }))
  }
}

const rank = ({ outcome }: Decided) => order.indexOf(outcome)
