import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { testCosts } from './test-costs.ts'

/** Starts the slow files first, so that none of them runs alone at the end. Vitest knows durations only after a run. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of Vitest that returns a new list
    const sorted = await super.sort(files)
    const costOf = ({ moduleId }: TestSpecification) => testCosts[relative(this.ctx.config.root, moduleId)] ?? 0
    return sorted.toSorted((a, b) => costOf(b) - costOf(a))
  }
}
