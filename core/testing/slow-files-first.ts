import { matchesGlob, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of half a minute and more. One that starts last leaves the other workers without work. */
const slow = [
  'core/verifications/{proof/prove,ground-truth}.test.ts',
  'local/start.test.ts',
  'engines/source/{on-branch,clone}.test.ts',
  'core/test-runs/{hostile,trust,run,ecosystems}.test.ts',
  'core/verifications/**/*.test.ts',
]

/** Starts the slow files first. Vitest knows durations only after a run on the same machine. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of Vitest that returns a new list
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) => {
      const path = relative(this.ctx.config.root, moduleId)
      return slow.some((pattern) => matchesGlob(path, pattern))
    }
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
