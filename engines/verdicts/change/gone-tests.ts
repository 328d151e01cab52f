import { testsByName } from '../../test-names/named-sources.ts'
import type { Observed } from './judgement.ts'
import { isGo } from './side-tests.ts'
import type { TestOfChange } from './tests-of-change.ts'

/**
 * A deleted test weakens the proof, unless the code that it is named after is deleted too, or as many new tests of its
 * file pass without the change, which is what a new name looks like.
 */
export function goneTests({ tests, facts: { files } }: Observed): { removed: TestOfChange[]; excused: TestOfChange[] } {
  const gone = tests.filter(({ transition }) => transition === 'gone')
  if (gone.length === 0) return { removed: [], excused: [] }
  const deleted = (kind: string) =>
    files.filter((file) => file.change === 'deleted' && file.kind === kind).map(({ path }) => path)
  const withCode = new Set(
    testsByName(deleted('code'), deleted('test'))
      .values()
      .flatMap((paths) => paths),
  )
  const folders = Map.groupBy(deleted('test'), (path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))
  const renamed = new Map<string, number>()
  for (const test of tests) {
    const isLikeBefore =
      test.transition === 'new_passing' && test.isOfChange === 'added' && test.withoutChange === 'passes'
    if (isLikeBefore) renamed.set(homeOf(test), (renamed.get(homeOf(test)) ?? 0) + 1)
  }
  const isWithCode = ({ file, base }: TestOfChange) => {
    if (file !== null) return withCode.has(file)
    if (base === null || !isGo(base.example)) return false
    const { suite } = base.example
    const inPackage = [...folders].flatMap(([folder, paths]) =>
      folder !== '' && `/${suite}`.endsWith(`/${folder}`) ? paths : [],
    )
    return inPackage.length > 0 && inPackage.every((path) => withCode.has(path))
  }
  const removed: TestOfChange[] = []
  const excused: TestOfChange[] = []
  for (const [home, ofHome] of Map.groupBy(gone, homeOf)) {
    const isRenamed = (renamed.get(home) ?? 0) >= ofHome.length
    for (const test of ofHome) {
      const isExcused = !test.isSkippedElsewhere && (isRenamed || isWithCode(test))
      if (isExcused) excused.push(test)
      else removed.push(test)
    }
  }
  return { removed, excused }
}

function homeOf({ head, base, file }: TestOfChange): string {
  const example = (head ?? base)?.example
  if (example && isGo(example)) return `package ${example.suite}`
  return file === null ? `suite ${example?.suite}` : `file ${file}`
}
