import type { Mutant } from '../../../engines/mutation/mutant.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import { aroundChange } from '../../../engines/strength/around-change.ts'
import { caseAt, type CodePlaces, readPlaces, symbolAt } from '../../../engines/strength/code-places.ts'
import type { Survivor } from '../../../engines/strength/schema.ts'

/** The symbols and cases of files, each read once. */
export class KnownPlaces {
  readonly #runner: TaskRunner
  readonly #files: ReadonlyMap<string, string>
  readonly #places = new Map<string, CodePlaces>()

  constructor(runner: TaskRunner, files: ReadonlyMap<string, string>) {
    this.#runner = runner
    this.#files = files
  }

  async read(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      const source = this.#files.get(path)
      if (source === undefined || this.#places.has(path)) continue
      this.#places.set(path, await readPlaces(this.#runner, { path, source, withCases: true }))
    }
  }

  /** What is known of the place of a mutant in a file that was read. */
  of(mutant: Mutant): Pick<Survivor, 'column' | 'context' | 'symbol' | 'case'> {
    const { path, line } = mutant
    const places = this.#places.get(path)
    const symbol = (places && symbolAt(places, line))?.name ?? null
    const found = places && symbol !== null ? caseAt(places, symbol, line) : null
    const source = this.#files.get(path)
    const around = source === undefined ? { column: null, context: null } : aroundChange(source, mutant)
    if (!found) return { ...around, symbol, case: null }
    const { id, condition, outcome, result } = found
    return { ...around, symbol, case: { id, condition, outcome, ...(result !== undefined && { result }) } }
  }
}
