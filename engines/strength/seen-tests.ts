import type { SeenTest } from './kept-reach.ts'

/** Tests can forge events, and reach millions of probes. */
const maxProbesOfFile = 300_000
const maxProbes = 5_000_000

/** Collects which tests of which files ran, and what they reached. */
export class SeenTests {
  /** Null for files with too much to keep. */
  readonly #files = new Map<string, { tests: SeenTest[]; probes: number } | null>()
  readonly #complete = new Set<number>()
  #probes = 0

  /** Says that all tests of a part have run. */
  complete(part: number): void {
    this.#complete.add(part)
  }

  add(file: string, test: SeenTest): void {
    if (this.#files.get(file) === null) return
    const known = this.#files.get(file) ?? { tests: [], probes: 0 }
    const cost = test.probes.length + 1
    known.probes += cost
    this.#probes += cost
    known.tests.push(test)
    this.#files.set(file, known.probes > maxProbesOfFile || this.#probes > maxProbes ? null : known)
  }

  /** Returns the tests of a file; null if some may be missing. */
  of(file: string): readonly SeenTest[] | null {
    const tests = this.#files.get(file)?.tests ?? []
    const parts = new Set(tests.map(({ part }) => part))
    // The loading of a file is reported at its end.
    const hasEnded = (part: number) => tests.some((one) => one.part === part && one.test === null)
    return parts.size > 0 && [...parts].every((part) => this.#complete.has(part) && hasEnded(part)) ? tests : null
  }
}
