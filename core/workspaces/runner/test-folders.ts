import { dirname } from 'node:path/posix'
import { detectLanguage } from '../../../engines/languages/detect.ts'
import { isTestPath } from '../../../engines/test-names/roles.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { isWithin } from '../../../engines/test-names/paths.ts'

const maxRead = 20_000

/** Returns a sentence that says where the project's tests are, or null if there are none. */
export function testFoldersHint({ directory }: PlanPart, paths: readonly string[], testPath: string): string | null {
  const language = detectLanguage(testPath, null)
  const tests = paths
    .slice(0, maxRead)
    .filter((path) => path !== testPath && isWithin(path, directory) && detectLanguage(path, null) === language)
    .filter((path) => isTestPath(path, language))
  const [example] = tests
  if (example === undefined) return null
  const folders = Map.groupBy(tests, (path) => dirname(path))
  const usual = [...folders].toSorted(([, a], [, b]) => b.length - a.length).slice(0, 3)
  const places = usual.map(([folder]) => (folder === '.' ? 'the root folder' : `${folder}/`))
  return `Tests of this project are in ${places.join(', ')}, such as ${usual[0]?.[1][0] ?? example}.`
}
