import { borrowedEntries } from './entries.ts'
import type { FileRecord } from '../../engines/analysis/types.ts'
import { noPlanSettings } from '../../engines/analysis/read-testing.ts'
import { readState } from '../../engines/selection/read-state.ts'
import { selectTests } from '../../engines/selection/select-tests.ts'
import type { SeenReach } from '../../engines/selection/reach-record.ts'
import type { TextFacts } from '../../engines/selection/text-facts.ts'
import type { TestSelection } from '../../engines/selection/types.ts'
import type { Checkout } from './checkout.ts'
import { changesOf } from './make-cases.ts'

/** What the tests were seen to run, and the commit at which that was measured. */
export type Measured = SeenReach & { commitSha: string }

/** Selects tests for the commits of a repository. Facts are kept between them. */
export class Selector {
  readonly #checkout: Checkout
  readonly #records = new Map<string, FileRecord>()
  readonly #known = new Map<string, TextFacts>()

  constructor(checkout: Checkout) {
    this.#checkout = checkout
  }

  async select(base: string, head: string, measured?: Measured): Promise<TestSelection> {
    const state = await readState(borrowedEntries(this.#checkout, head), {
      records: this.#records,
      known: this.#known,
      settings: noPlanSettings,
      signal: new AbortController().signal,
    })
    const changesSince = (commit: string) => changesOf(this.#checkout, commit, head)
    const reach = measured && { ...measured, changes: await changesSince(measured.commitSha) }
    return selectTests({ ...state, changes: await changesSince(base), reach })
  }
}
