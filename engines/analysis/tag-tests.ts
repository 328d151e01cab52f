import { namedTests } from '../test-plan/named-tests.ts'
import type { TestingPart } from '../test-plan/schema.ts'
import type { TrackedFile } from './read-files.ts'

/** Tags the files that the commands of a run name as tests, whatever they are called. */
export function tagNamedTests(files: readonly TrackedFile[], testing: readonly TestingPart[]): void {
  const isNamed = namedTests(testing)
  for (const file of files) {
    if (file.record && !file.tags.includes('test') && isNamed(file.path)) file.tags.push('test')
  }
}
