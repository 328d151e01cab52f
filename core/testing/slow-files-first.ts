import { matchesGlob, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { slowFiles } from './slow-files.ts'

/** Starts the slow files first, so that none of them runs alone at the end. Vitest knows durations only after a run. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of Vitest that returns a new list
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) => {
      const path = relative(this.ctx.config.root, moduleId)
      return slowFiles.some((pattern) => matchesGlob(path, pattern))
    }
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
