import type { SeenTest } from './kept-reach.ts'

/** Tests can forge events, and reach millions of probes. */
const maxProbesOfFile = 300_000
const maxProbes = 5_000_000

/** Collects which tests of which files ran, and what they reached. */
export class SeenTests {
  /** Null for files with too much to keep. */
  readonly #files = new Map<string, { tests: SeenTest[]; probes: number } | null>()
  #probes = 0

  add(file: string, test: SeenTest): void {
    if (this.#files.get(file) === null) return
    const known = this.#files.get(file) ?? { tests: [], probes: 0 }
    const cost = test.probes.length + 1
    known.probes += cost
    this.#probes += cost
    known.tests.push(test)
    this.#files.set(file, known.probes > maxProbesOfFile || this.#probes > maxProbes ? null : known)
  }

  has(file: string, part: number, test: string | null): boolean {
    return this.#files.get(file)?.tests.some((one) => one.part === part && one.test === test) ?? false
  }

  /**
   * Returns the tests of a file; null if some may be missing.
   *
   * @param isWhole - whether all tests of a file have run in a part that has reported the loading of the file
   */
  of(file: string, isWhole: (part: number) => boolean): readonly SeenTest[] | null {
    const tests = this.#files.get(file)?.tests ?? []
    const parts = new Set(tests.map(({ part }) => part))
    const hasEnded = (part: number) => tests.some((one) => one.part === part && one.test === null)
    return parts.size > 0 && [...parts].every((part) => isWhole(part) && hasEnded(part)) ? tests : null
  }
}
