import { posix } from 'node:path'
import { folderOf } from './paths.ts'
import { testRole } from './roles.ts'
import { byCloseness } from './test-place.ts'

/** Returns a function that finds the test file nearest to a file: one that is named after it, or else in the nearest folder. */
export function nearestTests(paths: readonly string[]): (path: string) => string | null {
  const tests = paths.filter((path) => testRole(path, undefined) === 'test')
  return (path) => {
    const stem = stemOf(path)
    const named = tests.filter((test) => stemOf(test).includes(stem))
    return byCloseness(Map.groupBy(named.length > 0 ? named : tests, folderOf), path).next().value ?? null
  }
}

/** The name in small letters without what follows the first dot. */
const stemOf = (path: string) => (posix.basename(path).split('.')[0] ?? '').toLowerCase()
