import { collectsFile } from '../test-plan/describe-testing.ts'
import type { TestingPart } from '../test-plan/schema.ts'
import { isWithin } from '../test-names/paths.ts'
import { testFiles, testRole } from '../test-names/roles.ts'
import type { SourceTree } from '../analysis/graph/source-tree.ts'
import { familyOf, familyOfPart, familyOfPath } from './languages.ts'

/** Lists the test files that the parts run, or says why they cannot be selected. */
export function listTestFiles(
  tree: SourceTree,
  parts: readonly TestingPart[],
): { files: readonly number[] } | { whyAll: string; files: readonly number[] } {
  const roles = testFiles(tree.files.filter(({ tags }) => tags?.includes('test')))
  const found = new Set<number>()
  const empty: TestingPart[] = []
  let whyAll: string | undefined
  if (parts.length === 0) whyAll = 'it is not known how the tests are run'
  for (const part of parts) {
    const family = familyOfPart(part)
    const place = part.directory === '' ? '' : ` in ${part.directory}`
    if (family === undefined) whyAll ??= `the tests${place} run by ${part.framework}, whose tests cannot be selected`
    const own: number[] = []
    for (const [id, { path, language, tags = [] }] of tree.files.entries()) {
      if (!isWithin(path, part.directory)) continue
      const collects = collectsFile(part, path)
      const isLink = tags.includes('symlink')
      const familyIn = isLink ? familyOfPath(path) : familyOf(language)
      const isTest =
        collects === null
          ? familyIn === family &&
            (roles.get(path) ?? (isLink ? testRole(path) : undefined)) === 'test' &&
            !tags.includes('vendored')
          : collects && (familyIn !== undefined || family === undefined)
      if (isTest) own.push(id)
    }
    for (const id of own) found.add(id)
    if (own.length === 0) empty.push(part)
  }
  for (const { directory } of empty) {
    const place = directory === '' ? '' : ` in ${directory}`
    // The command runs files that a build makes of these.
    const isBuilt = tree.files.some(
      ({ path }, id) => isWithin(path, directory) && roles.get(path) === 'test' && !found.has(id),
    )
    if (isBuilt || parts.length === 1) whyAll ??= `it is not known which test files run${place}`
  }
  const files = [...found].toSorted((a, b) => a - b)
  return whyAll === undefined ? { files } : { files, whyAll }
}
